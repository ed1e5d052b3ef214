/* Addresses of the Internet protocol, and networks of them.
 *
 * IPv4 lies in them as IPv4-mapped IPv6 (RFC 4291 section 2.5.5.2), so that one form is compared.
 */
#pragma once

#include "text/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { ADDRESS_TEXT_BYTES = 46 }; /* with the NUL */

struct address {
	uint8_t bytes[16];
};

struct network {
	struct address address;
	uint8_t bits; /* of the prefix, of 128 */
	bool is_unix; /* no network, but all peers at unix sockets */
};

/* "192.0.2.1", "2001:db8::1" or "::ffff:192.0.2.1". False: it is none. */
__attribute__((warn_unused_result)) bool address_read(struct str text, struct address *ret_address);

/* Reads the address of a socket. False for families that are neither IPv4 nor IPv6. */
__attribute__((warn_unused_result)) bool address_of_socket(const struct sockaddr *from,
							   struct address *ret_address);

/* An IPv4-mapped address is written as IPv4. */
void address_write(const struct address *address, char ret_text[static ADDRESS_TEXT_BYTES]);

/* "10.0.0.0/8", "2001:db8::/32", an address alone, or "unix". False: it is none of these, or bits
 * are set behind the prefix. */
__attribute__((warn_unused_result)) bool network_read(const char *text,
						      struct network *ret_network);

/* Leaves of an IPv6 address the network of 64 bits, of which a subscriber has all addresses
 * (RFC 6177 section 2); an IPv4-mapped one stays as it is. */
void address_cut_to_subscriber(struct address *address);
/* Leaves of an IPv6 address the network of 48 bits, which a site gets, and of an IPv4-mapped one
 * that of 24 bits: whoever has many addresses has them in few of these. */
void address_cut_to_network(struct address *address);

bool network_has(const struct network *network, const struct address *address);
