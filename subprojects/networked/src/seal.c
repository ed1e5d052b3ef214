#include "networked/seal.h"

#include <errno.h>
#include <sandbox/sandbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int networked_seal(char *layers, size_t size)
{
	const char *active = getenv("SANDBOX_LAYERS"), *mode = getenv("SANDBOX");
	int status;

	if (!active || !mode) {
		snprintf(layers, size, "none");
		return 0;
	}
	status = sandbox_seal(SANDBOX_NETWORK);
	if (status < 0 && strcmp(mode, "required") == 0)
		return status;
	snprintf(layers, size, "%s %ssealed", active, status < 0 ? "-" : "");
	return 0;
}

ssize_t networked_receive(int from, void *ret_data, size_t size, int *ret_socket)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = ret_data, .iov_len = size};
	struct msghdr message = {
	    .msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control.space,
	    .msg_controllen = sizeof(control.space),
	};
	ssize_t length = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *header = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*ret_socket = -1;
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_socket, CMSG_DATA(header), sizeof(int));
	return length;
}

bool networked_receive_socket(int from, int *ret_socket)
{
	char data[16];
	ssize_t length = networked_receive(from, data, sizeof(data), ret_socket);

	return length > 0 || (length < 0 && (errno == EINTR || errno == EAGAIN));
}
