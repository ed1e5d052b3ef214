#include "text/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

/* Reads four decimal numbers without leading zeros, as inet_pton() does. Each request through a
 * proxy needs this, and the C library takes several times as long. */
static bool read_v4(struct str text, uint8_t ret_bytes[static 4])
{
	const char *at = text.data, *end = text.data + text.length;

	for (unsigned part = 0; part < 4; part++) {
		unsigned digits = 0, number = 0, digit;

		if (part && (at == end || *at++ != '.'))
			return false;
		for (; at < end && digits < 3 && (digit = (unsigned)*at - '0') <= 9; at++, digits++)
			number = number * 10 + digit;
		/* The smallest number of so many digits is 10 or 100. */
		if (digits == 0 || number > 255 || (digits == 2 && number < 10) ||
		    (digits == 3 && number < 100))
			return false;
		ret_bytes[part] = (uint8_t)number;
	}
	return at == end;
}

bool address_read(struct str text, struct address *ret_address)
{
	char copy[ADDRESS_TEXT_BYTES];

	if (text.length == 0)
		return false;
	memcpy(ret_address->bytes, mapped, sizeof(mapped));
	if (read_v4(text, ret_address->bytes + sizeof(mapped)))
		return true;
	if (text.length >= sizeof(copy))
		return false;
	memcpy(copy, text.data, text.length);
	copy[text.length] = '\0';
	return inet_pton(AF_INET6, copy, ret_address->bytes) == 1;
}

bool address_of_socket(const struct sockaddr *from, struct address *ret_address)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (from->sa_family == AF_INET) {
		memcpy(&v4, from, sizeof(v4));
		memcpy(ret_address->bytes, mapped, sizeof(mapped));
		memcpy(ret_address->bytes + sizeof(mapped), &v4.sin_addr, sizeof(v4.sin_addr));
	} else if (from->sa_family == AF_INET6) {
		memcpy(&v6, from, sizeof(v6));
		memcpy(ret_address->bytes, &v6.sin6_addr, sizeof(v6.sin6_addr));
	} else {
		return false;
	}
	return true;
}

void address_write(const struct address *address, char ret_text[static ADDRESS_TEXT_BYTES])
{
	if (memcmp(address->bytes, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, address->bytes + sizeof(mapped), ret_text, ADDRESS_TEXT_BYTES);
	else
		inet_ntop(AF_INET6, address->bytes, ret_text, ADDRESS_TEXT_BYTES);
}

void address_cut_to_subscriber(struct address *address)
{
	if (memcmp(address->bytes, mapped, sizeof(mapped)) != 0)
		memset(address->bytes + 8, 0, sizeof(address->bytes) - 8);
}

void address_cut_to_network(struct address *address)
{
	bool is_v4 = memcmp(address->bytes, mapped, sizeof(mapped)) == 0;
	size_t kept = is_v4 ? sizeof(mapped) + 3 : 6;

	memset(address->bytes + kept, 0, sizeof(address->bytes) - kept);
}

bool network_read(const char *text, struct network *ret_network)
{
	struct str rest = str_from(text);
	struct str address = {text, str_find(rest, '/')};
	bool is_v4 = str_find(address, ':') == address.length;
	unsigned long long bits;

	*ret_network = (struct network){.is_unix = strcmp(text, "unix") == 0, .bits = 128};
	if (ret_network->is_unix)
		return true;
	if (!address_read(address, &ret_network->address))
		return false;
	if (address.length < rest.length) {
		if (!str_to_uint64(str_from_offset(rest, address.length + 1), is_v4 ? 32 : 128,
				   &bits))
			return false;
		ret_network->bits = (uint8_t)(bits + (is_v4 ? 96 : 0));
	}
	for (unsigned i = ret_network->bits; i < 128; i++) {
		if (ret_network->address.bytes[i / 8] & 0x80 >> i % 8)
			return false;
	}
	return true;
}

bool network_has(const struct network *network, const struct address *address)
{
	unsigned bytes = network->bits / 8;
	unsigned rest = network->bits % 8;
	const uint8_t *a = address->bytes;
	const uint8_t *b = network->address.bytes;

	if (network->is_unix || memcmp(a, b, bytes) != 0)
		return false;
	return rest == 0 || ((a[bytes] ^ b[bytes]) & (uint8_t)(0xff00 >> rest)) == 0;
}
