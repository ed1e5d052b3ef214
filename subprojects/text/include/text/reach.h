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

/* Adds a network in the form of network_read(), except "unix". Returns false if it is no network,
 * or if the list is full. */
bool network_list_add(struct network_list *list, const char *text)
    __attribute__((warn_unused_result));

/* Whether the list has the address, or the IPv4 address into which a translator turns it. */
bool network_list_has(const struct network_list *list, const struct address *address);

/* Whether the address is on the public internet: not one that IANA reserves for another use, and
 * not one that a translator turns into such an address.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry */
bool address_is_public(const struct address *address);

/* Whether the address is one of a private network (RFC 1918, RFC 4193), of a link (RFC 3927, RFC
 * 4291), or of the machine itself. Not the opposite of address_is_public(). */
bool address_is_private(const struct address *address);

/* Whether this machine has the address now: a request to it would reach services of the machine
 * past any firewall in front of it. True also if that is unknown. */
bool address_is_own(const struct address *address);

/* Reasons why an account does not reach an address that is not public. */
enum reach_lack {
	REACH_NOT_LISTED = 1, /* the server's option --egress-allow does not list it */
	REACH_CLOSED = 2,     /* an administrator has closed local addresses to all accounts */
	REACH_NOT_MARKED = 4, /* no administrator has opened local addresses to the account */
	/* REACH_NOT_MARKED, for an app that the account has not installed: an installed app needs
	 * no mark. */
	REACH_PREVIEW = 8,
};

static inline unsigned reach_lacks(bool is_closed, bool is_marked)
{
	return (is_closed ? REACH_CLOSED : 0) | (is_marked ? 0 : REACH_NOT_MARKED);
}

/* Start of the fault of a URL whose host is refused; reach_sentence() follows. */
#define REACH_REFUSED "names an address that is not public: "

/* Returns a clause that names all that is missing, and who can change it, as it follows "not
 * public: "; NULL if nothing is. */
const char *reach_sentence(unsigned lacks);

/* Returns the host without the dot behind an IPv4 address, which browsers drop and resolvers do not
 * take. */
struct str reach_host_trim(struct str host);

/* Whether a host, as a URL has it but without brackets, is certainly not public: an address in any
 * form that a resolver takes, or a name of this machine or of the local link (RFC 6761, RFC 6762).
 * If so, *ret_lacks is REACH_NOT_LISTED or 0. list: that of --egress-allow; NULL: it is empty. */
__attribute__((warn_unused_result)) bool
reach_host_is_local(struct str host, const struct network_list *list, unsigned *ret_lacks);

/* Returns the port of an IPv4 or IPv6 socket address. */
int address_port(const struct sockaddr *from);

/* Whether the port belongs to another protocol, whose server could take an HTTP request for its own
 * protocol. https://fetch.spec.whatwg.org/#port-blocking */
bool address_is_bad_port(long port);
