/* Where the server listens: "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "unix:PATH". */
#pragma once

#include "base/str.h"
#include "main/reason.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

struct listen_address {
	char text[128]; /* as given */
	union {
		struct sockaddr any;
		struct sockaddr_un local;
		struct sockaddr_storage storage;
	} address;
	socklen_t length;
};

/* An open listening socket. */
struct listener {
	struct listen_address address; /* with the port that the kernel chose for port 0 */
	int fd;			       /* non-blocking */
	dev_t device;		       /* of a unix socket's file */
	ino_t inode;
};

/* Names are not looked up: an address, or localhost for 127.0.0.1. 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int
listen_address_parse(struct str text, struct listen_address *ret, struct reason *reterr);

bool listen_address_is_unix(const struct listen_address *address);

/* Opens and listens. "[::]" is IPv6 alone. A unix socket gets mode 0660; a file that a dead server
 * left is replaced, one that answers is not. 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int listener_open(const struct listen_address *address,
						      struct listener *ret, struct reason *reterr);

/* Closes it and removes a unix socket's file if it is still ours. */
void listener_close(struct listener *listener);

/* The port that it got; 0 for a unix socket. */
unsigned listener_port(const struct listener *listener);

/* "http://127.0.0.1:8080" for clients of a TCP listener; false for a unix socket. "0.0.0.0" and
 * "[::]" become an address of this machine that others can reach, if it has one. */
bool listener_url(const struct listener *listener, char *ret_url, size_t size);
