#include "ctl/server/server_socket.h"
#include "main/state_dir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_S = 10, ANSWER_BYTES_MAX = 8 * 1024 * 1024, PIECE_BYTES = 64 * 1024 };

static int open_socket(const char *state_dir, struct reason *reterr)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = ANSWER_S};
	int fd, length;

	length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", state_dir,
			  STATE_DIR_SOCKET);
	if (length >= (int)sizeof(address.sun_path))
		return reason_set(reterr,
				  "the path of the state directory, %s, is too long for a socket",
				  state_dir);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return reason_set(reterr, "cannot open a socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	if (errno == ENOENT || errno == ECONNREFUSED)
		reason_set(reterr, "no server runs with the state directory %s", state_dir);
	else if (errno == EACCES)
		reason_set(reterr,
			   "the server of %s is another user's: run this as that user or root",
			   state_dir);
	else
		reason_set(reterr, "cannot reach the server of %s: %s", state_dir, strerror(errno));
	close(fd);
	return -1;
}

static int send_all(int fd, const char *path, struct reason *reterr)
{
	char request[256];
	int length =
	    snprintf(request, sizeof(request),
		     "GET %s HTTP/1.1\r\nHost: displayd\r\nConnection: close\r\n\r\n", path);

	if (send(fd, request, (size_t)length, MSG_NOSIGNAL) == length)
		return 0;
	return reason_set(reterr, "the server does not take the question: %s", strerror(errno));
}

/* Up to the end of the connection. */
static int read_all(int fd, struct buffer *text, struct reason *reterr)
{
	ssize_t got = 0;

	do {
		if (buffer_length(text) > ANSWER_BYTES_MAX)
			return reason_set(reterr, "the server's answer has no end");
		got = recv(fd, buffer_reserve(text, PIECE_BYTES), PIECE_BYTES, 0);
		if (got > 0)
			buffer_commit(text, (size_t)got);
	} while (got > 0);
	if (got == 0)
		return 0;
	return reason_set(reterr, "the server does not answer: %s",
			  errno == EAGAIN ? "it may be busy or stopped" : strerror(errno));
}

/* Finds the body of our own server's answer, with "Connection: close": it ends with the
 * connection. */
static int find_body(struct str text, struct str *ret_body, struct reason *reterr)
{
	const char *end = text.length ? memmem(text.data, text.length, "\r\n\r\n", 4) : NULL;

	if (!end || !str_starts_with(text, STR("HTTP/1.1 200 ")))
		return reason_set(reterr, "the server has refused the question: %.*s",
				  (int)str_find(text, '\r'), text.length ? text.data : "");
	*ret_body = str_from_offset(text, (size_t)(end - text.data) + 4);
	return 0;
}

int server_socket_get(const char *state_dir, const char *path, struct buffer *ret_text,
		      struct str *ret_body, struct reason *reterr)
{
	int fd = open_socket(state_dir, reterr);
	int result;

	if (fd < 0)
		return -1;
	result = send_all(fd, path, reterr);
	if (result == 0)
		result = read_all(fd, ret_text, reterr);
	close(fd);
	return result < 0 ? -1 : find_body(buffer_view(ret_text), ret_body, reterr);
}
