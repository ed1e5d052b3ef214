#include "main/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <text/str.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 512, WAIT_MS = 1000 };

/* Finds the manager's socket. Returns false if there is none. A name that begins with @ is in the
 * abstract namespace. */
static bool find_manager(struct sockaddr_un *ret_address, socklen_t *ret_length)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length = path ? strlen(path) : 0;

	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length < 2 || length > sizeof(ret_address->sun_path) || !strchr("/@", path[0]))
		return false;
	memcpy(ret_address->sun_path, path, length);
	if (path[0] == '@')
		ret_address->sun_path[0] = 0;
	*ret_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	return true;
}

/* If the manager does not read at once, it has problems itself: then the message is dropped. */
static void tell(const char *message)
{
	const struct timeval patience = {.tv_sec = WAIT_MS / 1000};
	struct sockaddr_un address;
	socklen_t length;
	int fd;

	if (!find_manager(&address, &length))
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	(void)sendto(fd, message, strlen(message), MSG_NOSIGNAL,
		     (const struct sockaddr *)(const void *)&address, length);
	close(fd);
}

/* A line break would begin another message. */
static void tell_with_status(const char *before, const char *text)
{
	char message[MESSAGE_BYTES];
	size_t length = strlen(before);

	snprintf(message, sizeof(message), "%sSTATUS=%s", before, text);
	for (char *c = message + length; *c; c++)
		if (*c == '\n')
			*c = ' ';
	tell(message);
}

void notify_ready(const char *text)
{
	tell_with_status("READY=1\n", text);
}

void notify_reloading(void)
{
	char message[MESSAGE_BYTES];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(message, sizeof(message), "RELOADING=1\nMONOTONIC_USEC=%lld",
		 (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	tell(message);
}

void notify_stopping(void)
{
	tell("STOPPING=1");
}

void notify_status(const char *text)
{
	tell_with_status("", text);
}

uint64_t notify_watchdog_ms(void)
{
	const char *process = getenv("WATCHDOG_PID");
	unsigned long long limit_us, pid;

	if (!str_to_uint64(str_from(getenv("WATCHDOG_USEC")), UINT64_MAX, &limit_us))
		return 0;
	if (process &&
	    (!str_to_uint64(str_from(process), INT32_MAX, &pid) || (pid_t)pid != getpid()))
		return 0;
	return limit_us / 2 / 1000;
}

void notify_alive(void)
{
	tell("WATCHDOG=1");
}
