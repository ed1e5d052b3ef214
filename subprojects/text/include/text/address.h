/* Addresses of the Internet protocol, and networks of them.
 *
 * IPv4 lies in them as IPv4-mapped IPv6 (RFC 4291 section 2.5.5.2), so that one form is compared.
 */
#pragma once

#include "text/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { ADDRESS_TEXT_BYTES = 46 }; /* including the NUL */

struct address {
	uint8_t bytes[16];
};

struct network {
	struct address address;
	uint8_t bits; /* length of the prefix, of 128 bits */
	bool is_unix; /* not a network, but all peers at unix sockets */
};

/* Reads "192.0.2.1", "2001:db8::1" or "::ffff:192.0.2.1". Returns false if the text is no address.
 */
__attribute__((warn_unused_result)) bool address_read(struct str text, struct address *ret_address);

/* Reads the address of a socket. Returns false for other families than IPv4 and IPv6. */
__attribute__((warn_unused_result)) bool address_of_socket(const struct sockaddr *from,
							   struct address *ret_address);

/* Writes an address as text; an IPv4-mapped one as IPv4. */
void address_write(const struct address *address, char ret_text[static ADDRESS_TEXT_BYTES]);

/* Reads "10.0.0.0/8", "2001:db8::/32", an address alone, or "unix". Returns false for other texts,
 * and if bits are set behind the prefix. */
__attribute__((warn_unused_result)) bool network_read(const char *text,
						      struct network *ret_network);

/* Reduces an IPv6 address to its network of 64 bits, of which a subscriber has all addresses (RFC
 * 6177 section 2); does not change an IPv4-mapped one. */
void address_cut_to_subscriber(struct address *address);
/* Reduces an IPv6 address to its network of 48 bits, which a site gets, and an IPv4-mapped one to
 * 24 bits: an owner of many addresses has them in few of these. */
void address_cut_to_network(struct address *address);

bool network_has(const struct network *network, const struct address *address);
