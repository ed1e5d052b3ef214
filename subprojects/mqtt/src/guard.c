#include "guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sandboxed/budget.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CONNECT_MS = 10 * 1000 };

static __thread struct guard *own_guard;

void guard_enter(struct guard *guard)
{
	own_guard = guard;
}

static bool guard_refuse(struct guard *guard, enum guard_refusal why)
{
	guard->refused = why;
	return false;
}

/* A name may have several addresses: what all of them lack is missing. */
static bool refuse_local(struct guard *guard, bool is_listed)
{
	unsigned lacks = guard->lacks | (is_listed ? 0 : REACH_NOT_LISTED);

	guard->refused_lacks = guard->refused == GUARD_LOCAL ? guard->refused_lacks & lacks : lacks;
	return guard_refuse(guard, GUARD_LOCAL);
}

static bool may_reach(struct guard *guard, const struct sockaddr *to)
{
	struct address address;
	bool is_listed;

	if (!address_of_socket(to, &address))
		return refuse_local(guard, false);
	if (guard->reaches_all)
		return true;
	if (address_is_bad_port(address_port(to)))
		return guard_refuse(guard, GUARD_PORT);
	is_listed = network_list_has(guard->allowed, &address);
	if (is_listed && !guard->lacks)
		return true;
	if (!address_is_public(&address))
		return refuse_local(guard, is_listed);
	return !address_is_own(&address) || guard_refuse(guard, GUARD_OWN);
}

/* The kernel's own limit is more than two minutes. */
static int connect_in_time(int fd, const struct sockaddr *to, socklen_t length)
{
	int flags = fcntl(fd, F_GETFL), error = 0;
	struct pollfd wait = {.fd = fd, .events = POLLOUT};
	socklen_t size = sizeof(error);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	if (syscall(SYS_connect, fd, to, length) == 0)
		error = 0;
	else if (errno != EINPROGRESS)
		error = errno;
	else if (poll(&wait, 1, CONNECT_MS) != 1)
		error = ETIMEDOUT;
	else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	fcntl(fd, F_SETFL, flags);
	errno = error;
	return error ? -1 : 0;
}

/* A socket that a worker gave is connected; libcurl 7.88 connects it all the same. */
static bool is_connected(int fd)
{
	struct sockaddr_storage own = {0};
	socklen_t size = sizeof(own);

	return getsockname(fd, (struct sockaddr *)&own, &size) == 0 && own.ss_family == AF_UNIX;
}

int connect(int fd, const struct sockaddr *to, socklen_t length)
{
	struct guard *guard = own_guard;

	if (guard && is_connected(fd))
		return 0;
	if (!guard)
		return (int)syscall(SYS_connect, fd, to, length);
	if (may_reach(guard, to))
		return connect_in_time(fd, to, length);
	errno = EACCES;
	return -1;
}

/* Gives the peer of a worker's socket an address: libcurl 7.88 uses a connection whose peer has
 * none for one request only, because it takes its name as not yet resolved. */
int getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
	const struct sockaddr_in named = {.sin_family = AF_INET,
					  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					  .sin_port = htons(80)};
	socklen_t room = *length;
	int result = (int)syscall(SYS_getpeername, fd, address, length);

	if (result == 0 && address->sa_family == AF_UNIX && room >= sizeof(named)) {
		memcpy(address, &named, sizeof(named));
		*length = sizeof(named);
	}
	return result;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret_found)
{
	int (*look_up)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
	    (__typeof__(look_up))dlsym(RTLD_NEXT, "getaddrinfo");
	struct budget *before = budget_enter(NULL);
	int result = look_up ? look_up(name, service, hints, ret_found) : EAI_SYSTEM;

	(void)budget_enter(before);
	return result;
}
