/* Addresses that the server listens on: "127.0.0.1:8080", "[::1]:8080", "localhost:8080",
 * "unix:PATH", and ":8080" or "[::]:8080" for all addresses, including IPv4. With "proxy:" in
 * front, each connection begins with a PROXY header (wire/proxy.h). */
#pragma once

#include "http/listener.h"
#include "main/reason.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <text/str.h>

struct listen_address {
	char text[128];	     /* as given */
	const char *scheme;  /* scheme of its URLs, by its transport */
	enum http_role role; /* role of its listener; initially public */
	bool is_private;     /* a unix socket for this user only */
	bool expects_proxy_header;
	bool is_tls;
	bool takes_v4; /* all addresses of IPv6, and those of IPv4 */
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un local;
		struct sockaddr_storage storage;
	} address;
	socklen_t length;
};

/* An open listening socket. http makes a listener of it in each worker. */
struct listen_socket {
	struct listen_address address; /* with the port that the kernel chose for port 0 */
	int fd;			       /* non-blocking */
	dev_t device;		       /* device and inode of a unix socket's file */
	ino_t inode;
	bool is_given; /* given by the service manager: see main/listen_given.h */
};

/* Parses an address, or localhost for 127.0.0.1; other names are not looked up. Returns 0, or -1
 * with a reason. */
__attribute__((warn_unused_result)) int
listen_address_parse(struct str text, struct listen_address *ret, struct reason *reterr);

bool listen_address_is_unix(const struct listen_address *address);

/* Makes "[::]" leave IPv4 to other addresses with the same port, which could not be opened
 * otherwise. */
void listen_address_share_port(struct listen_address *addresses, unsigned count);

/* Whether both addresses are the same. */
bool listen_address_is_same(const struct listen_address *a, const struct listen_address *b);

/* Opens and listens. Without IPv6, "[::]" stands for all addresses of IPv4. A unix socket gets mode
 * 0660, or 0600 if it is private; a file that a dead server left is replaced, a file whose server
 * answers is not. Returns 0, or a negative errno with a reason; -EADDRINUSE: another program
 * listens there. */
__attribute__((warn_unused_result)) int listen_socket_open(const struct listen_address *address,
							   struct listen_socket *ret,
							   struct reason *reterr);

/* Closes the socket, and removes a unix socket's file if it is still ours. */
void listen_socket_close(struct listen_socket *socket);

/* Asks the kernel for the address that an open socket listens on, and whether it takes IPv4, too.
 * Returns false with errno if it is not a socket. Changes nothing else of ret. */
__attribute__((warn_unused_result)) bool listen_socket_ask(int fd, struct listen_address *ret);

/* Returns the port of the socket; 0 for a unix socket. */
unsigned listen_socket_port(const struct listen_socket *socket);

/* Writes "http://127.0.0.1:8080", for clients of a TCP socket; returns false for a unix socket, and
 * for one that only proxies can use. "0.0.0.0" and "[::]" become an address of this machine that
 * others can reach, if it has one. */
bool listen_address_url(const struct listen_address *address, char *ret_url, size_t size);
