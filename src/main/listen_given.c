#include "main/listen_given.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static void use_as_admin(struct listen_address *address)
{
	address->role = HTTP_ROLE_ADMIN;
}

static void use_for_proxies(struct listen_address *address)
{
	address->expects_proxy_header = true;
}

static void use_for_tls(struct listen_address *address)
{
	address->is_tls = true;
	address->scheme = "https";
}

static const struct {
	const char *name;
	void (*use)(struct listen_address *address);
} roles[] = {{"admin", use_as_admin}, {"proxy", use_for_proxies}, {"tls", use_for_tls}};

static int read_option(int fd, int option)
{
	int value = 0;
	socklen_t length = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &length) < 0 ? -1 : value;
}

static bool listens(int fd)
{
	return read_option(fd, SO_TYPE) == SOCK_STREAM && read_option(fd, SO_ACCEPTCONN) == 1;
}

/* Writes the address for people. Returns false if the family is not supported. */
static bool write_text(struct listen_address *address)
{
	const struct sockaddr_storage *storage = &address->address.storage;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)storage;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)storage;
	const struct sockaddr_un *local = &address->address.local;
	const char *proxy = address->expects_proxy_header ? "proxy:" : "";
	char host[INET6_ADDRSTRLEN];

	switch (storage->ss_family) {
	case AF_INET:
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(address->text, sizeof(address->text), "%s%s:%u", proxy, host,
			 ntohs(v4->sin_port));
		return true;
	case AF_INET6:
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(address->text, sizeof(address->text), "%s[%s]:%u", proxy, host,
			 ntohs(v6->sin6_port));
		return true;
	case AF_UNIX:
		/* Abstract names begin with NUL. */
		snprintf(address->text, sizeof(address->text), "%sunix:%s%.107s", proxy,
			 local->sun_path[0] ? "" : "@",
			 local->sun_path + (local->sun_path[0] ? 0 : 1));
		return true;
	default:
		return false;
	}
}

static int take(int fd, struct str name, struct listen_socket *ret, struct reason *reterr)
{
	struct listen_socket given = {.address.scheme = "http", .fd = fd, .is_given = true};

	for (size_t i = 0; i < array_length(roles); i++)
		if (str_equal(name, str_from(roles[i].name)))
			roles[i].use(&given.address);
	if (!listens(fd) || !listen_socket_ask(fd, &given.address) || !write_text(&given.address) ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return reason_set(reterr,
				  "the service manager passed descriptor %d, which is not a "
				  "listening stream socket",
				  fd);
	*ret = given;
	return 0;
}

int listen_given_take(struct listen_socket *ret, struct reason *reterr)
{
	struct str names = str_from(getenv("LISTEN_FDNAMES")), name;
	unsigned long long count, pid;

	if (!str_to_uint64(str_from(getenv("LISTEN_PID")), INT32_MAX, &pid) ||
	    (pid_t)pid != getpid() ||
	    !str_to_uint64(str_from(getenv("LISTEN_FDS")), INT32_MAX, &count))
		return 0;
	if (count > LISTEN_GIVEN_MAX)
		return reason_set(reterr, "the service manager passed %llu sockets, maximum %d",
				  count, LISTEN_GIVEN_MAX);
	for (unsigned i = 0; i < count; i++) {
		if (!names.data || !str_next(&names, ':', &name))
			name = (struct str){0};
		if (take(LISTEN_GIVEN_FIRST_FD + (int)i, name, &ret[i], reterr) < 0)
			return -EINVAL;
	}
	return (int)count;
}
