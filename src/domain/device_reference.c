#include "domain/device_reference.h"
#include "base/hex.h"

#include <stdio.h>

bool mac_parse(struct str text, uint8_t ret_mac[static MAC_BYTES])
{
	char digits[2 * MAC_BYTES];
	char separator;

	if (text.length == 2 * MAC_BYTES)
		return hex_decode(text, ret_mac, MAC_BYTES);
	if (text.length != MAC_TEXT_LENGTH)
		return false;
	separator = text.data[2];
	if (separator != ':' && separator != '-')
		return false;
	for (size_t i = 0; i < MAC_BYTES; i++) {
		if (i > 0 && text.data[3 * i - 1] != separator)
			return false;
		digits[2 * i] = text.data[3 * i];
		digits[2 * i + 1] = text.data[3 * i + 1];
	}
	return hex_decode((struct str){digits, sizeof(digits)}, ret_mac, MAC_BYTES);
}

void mac_format(const uint8_t mac[static MAC_BYTES], char ret_text[static MAC_TEXT_LENGTH + 1])
{
	snprintf(ret_text, MAC_TEXT_LENGTH + 1, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
		 mac[2], mac[3], mac[4], mac[5]);
}

static bool has_serial_form(struct str text)
{
	if (text.length < 1 || text.length > SERIAL_LENGTH_MAX)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      c == '-' || c == '_'))
			return false;
	}
	return true;
}

bool alias_parse(struct str text, char ret_alias[static ALIAS_LENGTH])
{
	if (text.length != ALIAS_LENGTH)
		return false;
	for (size_t i = 0; i < ALIAS_LENGTH; i++) {
		char c = text.data[i];

		if (c >= 'A' && c <= 'F')
			c = (char)(c - 'A' + 'a');
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
		ret_alias[i] = c;
	}
	return true;
}

struct device_reference device_reference_parse(struct str text)
{
	struct device_reference reference = {.kind = DEVICE_REFERENCE_NONE};

	if (id_parse(text, &reference.id)) {
		reference.kind = DEVICE_REFERENCE_ID;
	} else if (mac_parse(text, reference.mac)) {
		reference.kind = DEVICE_REFERENCE_MAC;
	} else if (has_serial_form(text)) {
		reference.kind = DEVICE_REFERENCE_SERIAL;
		reference.serial = text;
	}
	return reference;
}

bool serial_is_valid(struct str text)
{
	return device_reference_parse(text).kind == DEVICE_REFERENCE_SERIAL;
}
