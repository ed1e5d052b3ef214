/* Decides which addresses apps may reach: those of the public internet, and those that the operator
 * names. The check uses the connection's address, not its text: a name, a redirect or a hexadecimal
 * number cannot bypass it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* An address of either family: one of IPv4 as ::ffff:A.B.C.D (RFC 4291 section 2.5.5.2). */
struct address {
	uint8_t bytes[16];
};

struct address_range {
	struct address first;
	unsigned bits; /* that count, of 128 */
};

enum { ADDRESS_RANGES_MAX = 64 };

struct address_list {
	struct address_range ranges[ADDRESS_RANGES_MAX];
	unsigned count;
};

/* Adds ADDRESS or ADDRESS/BITS, in the notations of inet_pton(). False: it is none, or the list is
 * full. */
bool address_list_add(struct address_list *list, const char *text)
    __attribute__((warn_unused_result));

/* False for families that are neither IPv4 nor IPv6. */
bool address_read(const struct sockaddr *from, struct address *ret_address)
    __attribute__((warn_unused_result));

/* Reads the port of an address of these families. */
int address_port(const struct sockaddr *from);

/* Whether it is one of another protocol, which could be made to take HTTP for its own.
 * https://fetch.spec.whatwg.org/#port-blocking */
bool address_is_bad_port(long port);

/* Whether it is of the public internet: no address that IANA keeps for something else, and none
 * that a translator turns into such a one.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry */
bool address_is_public(const struct address *address);

/* Whether it is in the list. */
bool address_is_listed(const struct address *address, const struct address_list *list);

/* Whether this machine has it now: over it an app would reach services of the machine behind any
 * firewall before it. True also if that cannot be told. */
bool address_is_own(const struct address *address);
