#include "main/listen_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <unistd.h>

enum { BACKLOG = 4096, UNIX_MODE = 0660, PRIVATE_MODE = 0600 };

static int parse_unix(struct str path, struct listen_address *ret, struct reason *reterr)
{
	struct sockaddr_un *local = &ret->address.local;

	if (path.length == 0)
		return reason_set(reterr, "unix: needs a path after it");
	if (path.length >= sizeof(local->sun_path))
		return reason_set(reterr, "the path of a unix socket has at most %zu bytes",
				  sizeof(local->sun_path) - 1);
	local->sun_family = AF_UNIX;
	memcpy(local->sun_path, path.data, path.length);
	ret->length = sizeof(*local);
	return 0;
}

/* host: "" stands for "::" in brackets. */
static bool parse_host(const char *host, bool bracketed, uint16_t port, struct listen_address *ret)
{
	struct sockaddr_in *v4 = &ret->address.v4;
	struct sockaddr_in6 *v6 = &ret->address.v6;

	if (!host[0]) {
		host = "::";
		bracketed = true;
	}
	if (!bracketed && strcmp(host, "localhost") == 0)
		host = "127.0.0.1";
	if (!bracketed && inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		ret->length = sizeof(*v4);
		return true;
	}
	if (bracketed && inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		ret->length = sizeof(*v6);
		ret->takes_v4 = IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr);
		return true;
	}
	return false;
}

int listen_address_parse(struct str text, struct listen_address *ret, struct reason *reterr)
{
	static const char form[] = "must be ADDR:PORT, [ADDR]:PORT, :PORT or unix:PATH, such as "
				   "127.0.0.1:8080, optionally with proxy: in front of it";
	struct listen_address address = {.scheme = "http"};
	const struct str proxy = STR("proxy:");
	struct str host = text;
	unsigned long long port;
	bool bracketed;
	char name[64];

	if (text.length >= sizeof(address.text))
		return reason_set(reterr, "is too long");
	memcpy(address.text, text.data, text.length);
	address.expects_proxy_header = str_starts_with(text, proxy);
	if (address.expects_proxy_header)
		text = host = str_from_offset(text, proxy.length);
	if (str_starts_with(text, STR("unix:"))) {
		if (parse_unix(str_from_offset(text, 5), &address, reterr) < 0)
			return -1;
		*ret = address;
		return 0;
	}
	while (host.length > 0 && host.data[host.length - 1] != ':')
		host.length--;
	if (host.length < 1)
		return reason_set(reterr, "%s", form);
	if (!str_to_uint64(str_from_offset(text, host.length), 65535, &port))
		return reason_set(reterr, "must end with a port from 0 to 65535");
	host.length--;
	bracketed = host.length > 2 && host.data[0] == '[' && host.data[host.length - 1] == ']';
	if (bracketed)
		host = (struct str){host.data + 1, host.length - 2};
	if (host.length >= sizeof(name))
		return reason_set(reterr, "%s", form);
	memcpy(name, host.data, host.length);
	name[host.length] = 0;
	if (!parse_host(name, bracketed, (uint16_t)port, &address))
		return reason_set(reterr, "%s; host names are not resolved", form);
	*ret = address;
	return 0;
}

bool listen_address_is_unix(const struct listen_address *address)
{
	return address->address.any.sa_family == AF_UNIX;
}

void listen_address_share_port(struct listen_address *addresses, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; addresses[i].takes_v4 && j < count; j++) {
			const struct sockaddr_in *v4 = &addresses[j].address.v4;
			const struct sockaddr_in6 *v6 = &addresses[i].address.v6;

			if (v4->sin_family == AF_INET && v4->sin_port == v6->sin6_port &&
			    v4->sin_port != 0)
				addresses[i].takes_v4 = false;
		}
	}
}

bool listen_address_is_same(const struct listen_address *a, const struct listen_address *b)
{
	const struct sockaddr_in *a4 = &a->address.v4;
	const struct sockaddr_in *b4 = &b->address.v4;
	const struct sockaddr_in6 *a6 = &a->address.v6;
	const struct sockaddr_in6 *b6 = &b->address.v6;

	if (a->address.any.sa_family != b->address.any.sa_family)
		return false;
	switch (a->address.any.sa_family) {
	case AF_INET:
		return a4->sin_port == b4->sin_port && a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	case AF_INET6:
		return a6->sin6_port == b6->sin6_port &&
		       memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr)) == 0;
	default:
		return strcmp(a->address.local.sun_path, b->address.local.sun_path) == 0;
	}
}

/* Removes a socket file without a listener, which a killed server has left. Returns 0 or a negative
 * errno. */
static int remove_stale(const struct listen_address *address, struct reason *reterr)
{
	const char *path = address->address.local.sun_path;
	struct stat info;
	int fd, rc;

	if (lstat(path, &info) < 0)
		return 0;
	if (!S_ISSOCK(info.st_mode)) {
		reason_set(reterr, "cannot listen on %s: the file exists and is not a socket",
			   address->text);
		return -EEXIST;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		rc = -errno;
		reason_set(reterr, "cannot open a socket: %s", strerror(-rc));
		return rc;
	}
	rc = connect(fd, &address->address.any, address->length) < 0 && errno == ECONNREFUSED
		 ? 0
		 : -EADDRINUSE;
	close(fd);
	if (rc < 0)
		reason_set(reterr, "cannot listen on %s: another server listens there",
			   address->text);
	else
		unlink(path);
	return rc;
}

static int bind_unix(int fd, const struct listen_address *address, struct listen_socket *socket)
{
	mode_t before = umask(0777 & ~(address->is_private ? PRIVATE_MODE : UNIX_MODE));
	int rc = bind(fd, &address->address.any, address->length);
	int error = errno;
	struct stat info;

	umask(before);
	if (rc == 0 && lstat(address->address.local.sun_path, &info) == 0) {
		socket->device = info.st_dev;
		socket->inode = info.st_ino;
	}
	errno = error;
	return rc;
}

static int bind_tcp(int fd, const struct listen_address *address)
{
	int on = 1, v6_only = !address->takes_v4;

	/* Connections of a server that just ended do not keep the port; a server that still listens
	 * does. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->address.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof(v6_only));
	return bind(fd, &address->address.any, address->length);
}

/* Replaces "[::]" by the IPv4 wildcard if the machine has no IPv6. */
static void use_v4(struct listen_address *address)
{
	in_port_t port = address->address.v6.sin6_port;

	memset(&address->address, 0, sizeof(address->address));
	address->address.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
	address->length = sizeof(address->address.v4);
}

static int open_stream(struct listen_address *address)
{
	int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int fd = socket(address->address.any.sa_family, type, 0);

	if (fd >= 0 || errno != EAFNOSUPPORT || !address->takes_v4)
		return fd;
	use_v4(address);
	return socket(AF_INET, type, 0);
}

/* Stores the port that the kernel chose. Both families have it at the same offset. */
static void keep_port(int fd, struct listen_address *address)
{
	struct listen_address bound = *address;
	socklen_t length = sizeof(bound.address);

	if (getsockname(fd, &bound.address.any, &length) == 0)
		address->address.v4.sin_port = bound.address.v4.sin_port;
}

int listen_socket_open(const struct listen_address *address, struct listen_socket *ret,
		       struct reason *reterr)
{
	struct listen_socket opened = {.address = *address, .fd = -1};
	struct listen_address own = *address;
	bool local = listen_address_is_unix(address);
	int error;

	error = local ? remove_stale(address, reterr) : 0;
	if (error < 0)
		return error;
	opened.fd = open_stream(&own);
	if (opened.fd >= 0 &&
	    (local ? bind_unix(opened.fd, &own, &opened) : bind_tcp(opened.fd, &own)) == 0 &&
	    listen(opened.fd, BACKLOG) == 0) {
		if (!local)
			keep_port(opened.fd, &opened.address);
		*ret = opened;
		return 0;
	}
	error = errno;
	if (opened.fd >= 0)
		close(opened.fd);
	reason_set(reterr, "cannot listen on %s: %s", address->text,
		   error == EADDRINUSE
		       ? "another program listens there; stop it or choose another port"
		   : error == EACCES	    ? "not permitted (ports below 1024 need root)"
		   : error == EADDRNOTAVAIL ? "this machine has no such address"
					    : strerror(error));
	return -error;
}

void listen_socket_close(struct listen_socket *socket)
{
	const char *path = socket->address.address.local.sun_path;
	struct stat info;

	if (socket->fd < 0)
		return;
	close(socket->fd);
	socket->fd = -1;
	if (listen_address_is_unix(&socket->address) && lstat(path, &info) == 0 &&
	    info.st_dev == socket->device && info.st_ino == socket->inode)
		unlink(path);
}

bool listen_socket_ask(int fd, struct listen_address *ret)
{
	socklen_t length = sizeof(ret->address), size = sizeof(int);
	int v6_only = 1;

	if (getsockname(fd, &ret->address.any, &length) < 0)
		return false;
	ret->length = length;
	ret->takes_v4 = ret->address.any.sa_family == AF_INET6 &&
			getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, &size) == 0 && !v6_only;
	return true;
}

unsigned listen_socket_port(const struct listen_socket *socket)
{
	const struct listen_address *address = &socket->address;

	if (address->address.any.sa_family == AF_INET)
		return ntohs(address->address.v4.sin_port);
	if (address->address.any.sa_family == AF_INET6)
		return ntohs(address->address.v6.sin6_port);
	return 0;
}

/* Finds the address from which this machine reaches others: that of its default route. Connecting a
 * datagram socket sends nothing. */
static bool find_outward(int family, char *ret_text, socklen_t size)
{
	/* Addresses for documentation, which are never assigned (RFC 5737, RFC 3849). */
	struct sockaddr_in v4 = {
	    .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0xc0000201)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_port = htons(9),
				  .sin6_addr.s6_addr = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}};
	bool is_v4 = family == AF_INET;
	void *address = is_v4 ? (void *)&v4 : (void *)&v6;
	socklen_t length = is_v4 ? sizeof(v4) : sizeof(v6);
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	found =
	    connect(fd, address, length) == 0 && getsockname(fd, address, &length) == 0 &&
	    inet_ntop(family, is_v4 ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr, ret_text, size);
	close(fd);
	return found;
}

/* Finds the outward address, else the first address of an interface that is up and not a loopback.
 */
static bool find_reachable(int family, char *ret_text, socklen_t size)
{
	struct ifaddrs *all, *one;
	bool found = false;

	if (find_outward(family, ret_text, size))
		return true;
	if (getifaddrs(&all) < 0)
		return false;
	for (one = all; one && !found; one = one->ifa_next) {
		const void *address;

		if (!one->ifa_addr || one->ifa_addr->sa_family != family ||
		    !(one->ifa_flags & IFF_UP) || (one->ifa_flags & IFF_LOOPBACK))
			continue;
		if (family == AF_INET) {
			address =
			    &((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr;
		} else {
			const struct in6_addr *v6 =
			    &((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr;

			if (IN6_IS_ADDR_LINKLOCAL(v6))
				continue;
			address = v6;
		}
		found = inet_ntop(family, address, ret_text, size) != NULL;
	}
	freeifaddrs(all);
	return found;
}

/* Makes the URL of a listener for all addresses, with IPv4 if possible, which panels are more
 * likely to have. */
static bool url_of_any(const struct listen_address *address, char *ret_url, size_t size)
{
	const struct sockaddr_in6 *v6 = &address->address.v6;
	char host[INET6_ADDRSTRLEN];

	if (!find_reachable(AF_INET, host, sizeof(host)))
		return false;
	snprintf(ret_url, size, "%s://%s:%u", address->scheme, host, ntohs(v6->sin6_port));
	return true;
}

bool listen_address_url(const struct listen_address *address, char *ret_url, size_t size)
{
	const struct sockaddr_storage *storage = &address->address.storage;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)storage;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)storage;
	char host[INET6_ADDRSTRLEN];

	if (address->expects_proxy_header)
		return false;
	if (address->takes_v4 && url_of_any(address, ret_url, size))
		return true;
	if (storage->ss_family == AF_INET) {
		if (v4->sin_addr.s_addr != htonl(INADDR_ANY) ||
		    !find_reachable(AF_INET, host, sizeof(host)))
			inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		if (strcmp(host, "0.0.0.0") == 0)
			memcpy(host, "127.0.0.1", sizeof("127.0.0.1"));
		snprintf(ret_url, size, "%s://%s:%u", address->scheme, host, ntohs(v4->sin_port));
		return true;
	}
	if (storage->ss_family == AF_INET6) {
		if (!IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr) ||
		    !find_reachable(AF_INET6, host, sizeof(host)))
			inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		if (strcmp(host, "::") == 0)
			memcpy(host, "::1", sizeof("::1"));
		snprintf(ret_url, size, "%s://[%s]:%u", address->scheme, host,
			 ntohs(v6->sin6_port));
		return true;
	}
	return false;
}
