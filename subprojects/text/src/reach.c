#include "text/reach.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPED_BITS = 96 };

#define V4(a, b, c, d, length)                                                                     \
	{                                                                                          \
		{{[10] = 0xff, [11] = 0xff, [12] = a, [13] = b, [14] = c, [15] = d}},              \
		    MAPPED_BITS + (length)                                                         \
	}
#define V6(a, b, c, d, e, f, length)                                                               \
	{                                                                                          \
		{{a, b, c, d, e, f}}, length                                                       \
	}

/* Ranges of IPv4 that are not reached over the internet. */
static const struct network special_v4[] = {
    V4(0, 0, 0, 0, 8),	      /* "this network" */
    V4(10, 0, 0, 0, 8),	      /* private use */
    V4(100, 64, 0, 0, 10),    /* between a provider and its customers */
    V4(127, 0, 0, 0, 8),      /* loopback */
    V4(169, 254, 0, 0, 16),   /* link-local; clouds serve secrets there */
    V4(172, 16, 0, 0, 12),    /* private use */
    V4(192, 0, 0, 0, 24),     /* protocol assignments */
    V4(192, 0, 2, 0, 24),     /* documentation */
    V4(192, 31, 196, 0, 24),  /* AS112 */
    V4(192, 52, 193, 0, 24),  /* AMT */
    V4(192, 88, 99, 0, 24),   /* relays of 6to4 */
    V4(192, 168, 0, 0, 16),   /* private use */
    V4(192, 175, 48, 0, 24),  /* AS112 */
    V4(198, 18, 0, 0, 15),    /* benchmarking */
    V4(198, 51, 100, 0, 24),  /* documentation */
    V4(203, 0, 113, 0, 24),   /* documentation */
    V4(224, 0, 0, 0, 4),      /* multicast */
    V4(240, 0, 0, 0, 4),      /* reserved, broadcast */
    V4(168, 63, 129, 16, 32), /* public, but within Azure it is the host of a machine */
};

/* All addresses assigned so far; loopback, ULA, link-local, multicast and so on are outside. */
static const struct network global_v6 = V6(0x20, 0, 0, 0, 0, 0, 3);

/* Ranges within it that are not reachable, or lead into IPv4. */
static const struct network special_v6[] = {
    V6(0x20, 0x01, 0x00, 0x00, 0, 0, 23),	/* protocol assignments, Teredo */
    V6(0x20, 0x01, 0x0d, 0xb8, 0, 0, 32),	/* documentation */
    V6(0x20, 0x02, 0, 0, 0, 0, 16),		/* 6to4 */
    V6(0x26, 0x20, 0x00, 0x4f, 0x80, 0x00, 48), /* AS112 */
    V6(0x3f, 0xfe, 0, 0, 0, 0, 16),		/* 6bone, returned */
    V6(0x3f, 0xff, 0, 0, 0, 0, 20),		/* documentation */
};

/* Prefix of translated addresses, whose last four bytes are an IPv4 address (RFC 6052 section 2.1).
 */
static const struct network nat64 = {{{0x00, 0x64, 0xff, 0x9b}}, 96};

static const struct network mapped = {{{[10] = 0xff, [11] = 0xff}}, MAPPED_BITS};

static bool is_among(const struct address *address, const struct network *networks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (network_has(&networks[i], address))
			return true;
	return false;
}

/* ISATAP puts 0:5efe or 200:5efe before an address of IPv4 (RFC 5214 section 6.1). */
static bool is_isatap(const struct address *address)
{
	const uint8_t *bytes = address->bytes;

	return (bytes[8] & 0xfd) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}

/* Returns the IPv4 address in the last four bytes. */
static struct address embedded(const struct address *address)
{
	struct address v4 = mapped.address;

	memcpy(v4.bytes + 12, address->bytes + 12, 4);
	return v4;
}

bool address_is_public(const struct address *address)
{
	if (network_has(&nat64, address)) {
		struct address v4 = embedded(address);

		return address_is_public(&v4);
	}
	if (network_has(&mapped, address))
		return !is_among(address, special_v4, sizeof(special_v4) / sizeof(*special_v4));
	return network_has(&global_v6, address) && !is_isatap(address) &&
	       !is_among(address, special_v6, sizeof(special_v6) / sizeof(*special_v6));
}

bool address_is_private(const struct address *address)
{
	static const struct network private_networks[] = {
	    V4(10, 0, 0, 0, 8),
	    V4(127, 0, 0, 0, 8),
	    V4(169, 254, 0, 0, 16),
	    V4(172, 16, 0, 0, 12),
	    V4(192, 168, 0, 0, 16),
	    V6(0xfc, 0, 0, 0, 0, 0, 7),
	    V6(0xfe, 0x80, 0, 0, 0, 0, 10),
	    {{{[15] = 1}}, 128},
	};

	return is_among(address, private_networks,
			sizeof(private_networks) / sizeof(*private_networks));
}

bool network_list_has(const struct network_list *list, const struct address *address)
{
	struct address v4 = embedded(address);

	return is_among(address, list->networks, list->count) ||
	       (network_has(&nat64, address) && is_among(&v4, list->networks, list->count));
}

bool address_is_own(const struct address *address)
{
	struct address plain = network_has(&nat64, address) ? embedded(address) : *address, own;
	struct ifaddrs *first;
	bool is_own = false;

	if (getifaddrs(&first) != 0)
		return true;
	for (const struct ifaddrs *entry = first; entry && !is_own; entry = entry->ifa_next)
		is_own = entry->ifa_addr && address_of_socket(entry->ifa_addr, &own) &&
			 memcmp(own.bytes, plain.bytes, sizeof(own.bytes)) == 0;
	freeifaddrs(first);
	return is_own;
}

bool network_list_add(struct network_list *list, const char *text)
{
	struct network *network = &list->networks[list->count];

	if (list->count == NETWORKS_MAX || !network_read(text, network) || network->is_unix)
		return false;
	list->count++;
	return true;
}

/* ---- explanations ---- */

#define NOT_LISTED "whoever runs the server can open it with the option --egress-allow"
#define CLOSED "an administrator has closed local addresses: Administration, Instance"
#define NOT_MARKED                                                                                 \
	"an administrator can open local addresses to this account: Administration, Accounts"
#define PREVIEW "only installed apps can reach it; " NOT_MARKED

const char *reach_sentence(unsigned lacks)
{
	static const char *const sentences[] = {
	    NULL,
	    NOT_LISTED,
	    CLOSED,
	    NOT_LISTED "; " CLOSED,
	    NOT_MARKED,
	    NOT_LISTED "; " NOT_MARKED,
	    CLOSED "; " NOT_MARKED,
	    NOT_LISTED "; " CLOSED "; " NOT_MARKED,
	    PREVIEW,
	    NOT_LISTED "; " PREVIEW,
	    CLOSED "; " PREVIEW,
	    NOT_LISTED "; " CLOSED "; " PREVIEW,
	};

	return sentences[lacks % (sizeof(sentences) / sizeof(*sentences))];
}

/* ---- hosts ---- */

static bool is_listed(const struct network_list *list, const char *text)
{
	struct address address;

	return list && address_read(str_from(text), &address) && network_list_has(list, &address);
}

/* Whether the name is this one, or ends with it after a dot; an empty last label is the root. */
static bool is_below(struct str name, struct str top)
{
	size_t at;

	if (str_ends_with(name, STR(".")))
		name.length--;
	if (name.length < top.length)
		return false;
	at = name.length - top.length;
	return str_equal_ignore_case(str_from_offset(name, at), top) &&
	       (at == 0 || name.data[at - 1] == '.');
}

/* Reads also what inet_aton() takes, as resolvers do: "127.1", "0x7f000001", "2130706433". */
static bool read_v4_literal(struct str host, struct in_addr *ret_v4)
{
	char text[64];

	if (host.length == 0 || host.length >= sizeof(text))
		return false;
	memcpy(text, host.data, host.length);
	text[host.length] = '\0';
	return inet_aton(text, ret_v4);
}

struct str reach_host_trim(struct str host)
{
	struct str shorter = {host.data, host.length - (host.length > 0)};
	struct in_addr v4;

	return str_ends_with(host, STR(".")) && read_v4_literal(shorter, &v4) ? shorter : host;
}

/* Reads an address in any form that a URL may have. */
static bool read_literal(struct str host, struct address *ret_address)
{
	struct in_addr v4;
	struct str address = {host.data, str_find(host, '%')}; /* before a zone */

	if (str_find(address, ':') < address.length)
		return address_read(address, ret_address);
	if (!read_v4_literal(reach_host_trim(host), &v4))
		return false;
	*ret_address = mapped.address;
	memcpy(ret_address->bytes + 12, &v4, 4);
	return true;
}

bool reach_host_is_local(struct str host, const struct network_list *list, unsigned *ret_lacks)
{
	struct address address;
	bool is_open;

	*ret_lacks = 0;
	if (read_literal(host, &address)) {
		if (address_is_public(&address))
			return false;
		is_open = list && network_list_has(list, &address);
	} else if (is_below(host, STR("localhost"))) {
		is_open = is_listed(list, "127.0.0.1") || is_listed(list, "::1");
	} else if (is_below(host, STR("local"))) {
		is_open = list && list->count > 0; /* its address is not known */
	} else {
		return false;
	}
	*ret_lacks = is_open ? 0 : REACH_NOT_LISTED;
	return true;
}

int address_port(const struct sockaddr *from)
{
	return ntohs(from->sa_family == AF_INET ? ((const struct sockaddr_in *)from)->sin_port
						: ((const struct sockaddr_in6 *)from)->sin6_port);
}

bool address_is_bad_port(long port)
{
	static const short ports[] = {
	    1,	  7,	9,    11,   13,	  15,	17,   19,   20,	  21,	22,   23,   25,	  37,
	    42,	  43,	53,   69,   77,	  79,	87,   95,   101,  102,	103,  104,  109,  110,
	    111,  113,	115,  117,  119,  123,	135,  137,  139,  143,	161,  179,  389,  427,
	    465,  512,	513,  514,  515,  526,	530,  531,  532,  540,	548,  554,  556,  563,
	    587,  601,	636,  989,  990,  993,	995,  1719, 1720, 1723, 2049, 3659, 4045, 4190,
	    5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};

	for (size_t i = 0; i < sizeof(ports) / sizeof(*ports); i++)
		if (port == ports[i])
			return true;
	return port == 0;
}
