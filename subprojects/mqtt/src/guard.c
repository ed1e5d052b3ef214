#include "guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sandboxed/budget.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

bool guard_permits(struct guard *guard, const struct sockaddr *to)
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

/* A socket that a worker gave is connected; libcurl 7.88 connects it all the same. */
static bool is_connected(int fd)
{
	struct sockaddr_storage own = {0};
	socklen_t size = sizeof(own);

	return getsockname(fd, (struct sockaddr *)&own, &size) == 0 && own.ss_family == AF_UNIX;
}

void guard_give(struct guard *guard, int socket, const struct sockaddr *to, socklen_t length)
{
	guard->given = socket;
	guard->is_taken = false;
	if (getnameinfo(to, length, guard->address, sizeof(guard->address), NULL, 0,
			NI_NUMERICHOST) != 0)
		guard->address[0] = '\0';
}

void guard_take_back(struct guard *guard)
{
	if (!guard->is_taken)
		close(guard->given);
	guard->given = -1;
}

static bool gives(const struct guard *guard)
{
	return guard && guard->given >= 0;
}

int socket(int domain, int type, int protocol)
{
	if (!gives(own_guard) || own_guard->is_taken)
		return (int)syscall(SYS_socket, domain, type, protocol);
	own_guard->is_taken = true;
	return own_guard->given;
}

/* libmosquitto makes a pair for threads that wait in it, writes a byte to it for each message, and
 * does without. */
int socketpair(int domain, int type, int protocol, int ret_sockets[2])
{
	if (!gives(own_guard))
		return (int)syscall(SYS_socketpair, domain, type, protocol, ret_sockets);
	errno = EMFILE;
	return -1;
}

int connect(int fd, const struct sockaddr *to, socklen_t length)
{
	const struct guard *guard = own_guard;

	if (!guard)
		return (int)syscall(SYS_connect, fd, to, length);
	if (is_connected(fd) || (gives(guard) && fd == guard->given))
		return 0;
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
	struct addrinfo numeric = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
	struct budget *before = budget_enter(NULL);
	bool is_given = gives(own_guard);
	int result = EAI_SYSTEM;

	if (look_up)
		result = look_up(is_given ? own_guard->address : name, service,
				 is_given ? &numeric : hints, ret_found);
	(void)budget_enter(before);
	return result;
}
