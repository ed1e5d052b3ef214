#include "sandboxed/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { MMAP_BYTES = 128 << 10 };

int inside_fail(const char *program, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s%s%s\n", program, what, why ? ": " : "", why ? why : "");
	return INSIDE_EXIT_USAGE;
}

static int read_options(const char *program, int argc, char **argv, struct network_list *allowed,
			const char **ret_certificates)
{
	static const struct option options[] = {
	    {"allow", required_argument, NULL, 'a'},
	    {"certificates", required_argument, NULL, 'c'},
	    {NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'a' && !network_list_add(allowed, optarg))
			return inside_fail(program, "invalid address range, or one too many",
					   optarg);
		if (option == 'c')
			*ret_certificates = optarg;
		if (option == '?')
			return INSIDE_EXIT_USAGE;
	}
	return optind == argc ? 0 : inside_fail(program, "takes no arguments", argv[optind]);
}

int inside_begin(const char *program, int argc, char **argv, struct network_list *allowed,
		 const char **ret_certificates)
{
	struct stat about;
	int status = read_options(program, argc, argv, allowed, ret_certificates);

	if (status != 0)
		return status;
	if (fstat(INSIDE_LINK, &about) != 0)
		return inside_fail(program, "needs a socket at descriptor 3", NULL);
	fcntl(INSIDE_LINK, F_SETFL, O_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
	/* A silent name server blocks its thread for 10 s (resolv.conf(5)). */
	setenv("RES_OPTIONS", "timeout:2 attempts:2", 1);
	/* Large blocks return to the system when they are freed, and leave no holes. */
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	return 0;
}

int inside_restrict(enum sandbox_list list, const char *engine, const char *library,
		    char ret_hello[static INSIDE_HELLO_BYTES])
{
	const char *active = getenv("SANDBOX_LAYERS"), *mode = getenv("SANDBOX");
	bool is_launched = active && mode;
	int status = is_launched ? sandbox_restrict(list) : 0;

	if (status < 0 && strcmp(mode, "required") == 0)
		return status;
	snprintf(ret_hello, INSIDE_HELLO_BYTES,
		 "{\"engine\":\"%s\",\"library\":\"%s\",\"layers\":\"%.200s%s\"}", engine, library,
		 is_launched ? active : "none",
		 !is_launched ? ""
		 : status < 0 ? " -sealed"
			      : " sealed");
	return 0;
}

void inside_watch(unsigned seconds)
{
	struct itimerval timer = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_REAL, &timer, NULL);
}

ssize_t inside_receive(int from, void *ret_data, size_t size, int *ret_socket)
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

bool inside_receive_socket(int *ret_socket)
{
	char data[16];
	ssize_t length = inside_receive(INSIDE_LINK, data, sizeof(data), ret_socket);

	return length > 0 || (length < 0 && (errno == EINTR || errno == EAGAIN));
}
