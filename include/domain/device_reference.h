/* Name of a device in a path: ID, serial number or MAC address, distinguished by their form
 * alone. */
#pragma once

#include "base/id.h"

#include <text/str.h>

enum device_reference_kind {
	DEVICE_REFERENCE_NONE, /* no device can have this name */
	DEVICE_REFERENCE_ID,
	DEVICE_REFERENCE_SERIAL,
	DEVICE_REFERENCE_MAC,
};

enum { MAC_BYTES = 6, MAC_TEXT_LENGTH = 17, SERIAL_LENGTH_MAX = 32, ALIAS_LENGTH = 8 };

struct device_reference {
	enum device_reference_kind kind;
	struct id id;
	struct str serial; /* points into the text */
	uint8_t mac[MAC_BYTES];
};

/* Never fails: a text of no known form is DEVICE_REFERENCE_NONE. */
struct device_reference device_reference_parse(struct str text);

/* Reads the former address of a device that was imported: eight hexadecimal digits in either case.
 * Lower case without a NUL. */
bool alias_parse(struct str text, char ret_alias[static ALIAS_LENGTH]);

/* Twelve hexadecimal digits in either case: bare, with colons, or with dashes between each pair. */
bool mac_parse(struct str text, uint8_t ret_mac[static MAC_BYTES]);
/* Lower case with colons, and a NUL. */
void mac_format(const uint8_t mac[static MAC_BYTES], char ret_text[static MAC_TEXT_LENGTH + 1]);

/* 1 to 32 letters, digits, "-", "_", and neither a MAC address nor an ID by its form. */
bool serial_is_valid(struct str text);
