#include "base/network.h"

#include <arpa/inet.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

bool address_read(struct str text, struct address *ret_address)
{
	char copy[ADDRESS_TEXT_BYTES];

	if (text.length == 0 || text.length >= sizeof(copy))
		return false;
	memcpy(copy, text.data, text.length);
	copy[text.length] = '\0';
	if (inet_pton(AF_INET6, copy, ret_address->bytes) == 1)
		return true;
	memcpy(ret_address->bytes, mapped, sizeof(mapped));
	return inet_pton(AF_INET, copy, ret_address->bytes + sizeof(mapped)) == 1;
}

void address_write(const struct address *address, char ret_text[static ADDRESS_TEXT_BYTES])
{
	if (memcmp(address->bytes, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, address->bytes + sizeof(mapped), ret_text, ADDRESS_TEXT_BYTES);
	else
		inet_ntop(AF_INET6, address->bytes, ret_text, ADDRESS_TEXT_BYTES);
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
