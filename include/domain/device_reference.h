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

/* Reads a reference. A text of no known form is DEVICE_REFERENCE_NONE. */
struct device_reference device_reference_parse(struct str text);

/* Reads the former address of an imported device: eight hexadecimal digits in either case.
 * ret_alias is lower case, without a NUL. */
bool alias_parse(struct str text, char ret_alias[static ALIAS_LENGTH]);

/* Reads twelve hexadecimal digits in either case: bare, or with colons or dashes between the pairs.
 */
bool mac_parse(struct str text, uint8_t ret_mac[static MAC_BYTES]);
/* Writes lower-case digits with colons, and a NUL. */
void mac_format(const uint8_t mac[static MAC_BYTES], char ret_text[static MAC_TEXT_LENGTH + 1]);

/* Whether text is 1 to 32 letters, digits, "-", "_", and has neither the form of a MAC address nor
 * that of an ID. */
bool serial_is_valid(struct str text);
