/* Decides which addresses untrusted requests may reach: those of the public internet, and those
 * that the operator names. The check uses the connection's address, not its text: a name, a
 * redirect or a hexadecimal number cannot bypass it. */
#pragma once

#include "text/address.h"

enum { NETWORKS_MAX = 64 };

struct network_list {
	struct network networks[NETWORKS_MAX];
	unsigned count;
};

/* Adds a network as network_read() reads it, but for "unix". False: it is none, or the list is
 * full. */
bool network_list_add(struct network_list *list, const char *text)
    __attribute__((warn_unused_result));

/* Whether the address, or the one of IPv4 that a translator makes of it, is in the list. */
bool network_list_has(const struct network_list *list, const struct address *address);

/* Whether it is of the public internet: no address that IANA keeps for something else, and none
 * that a translator turns into such a one.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry */
bool address_is_public(const struct address *address);

/* Whether this machine has it now: over it a request would reach services of the machine behind any
 * firewall before it. True also if that cannot be told. */
bool address_is_own(const struct address *address);

/* Reads the port of an address of IPv4 or IPv6. */
int address_port(const struct sockaddr *from);

/* Whether it is one of another protocol, which could be made to take HTTP for its own.
 * https://fetch.spec.whatwg.org/#port-blocking */
bool address_is_bad_port(long port);
