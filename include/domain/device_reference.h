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

enum { MAC_BYTES = 6, MAC_TEXT_LENGTH = 17, SERIAL_LENGTH_MAX = 32 };

/* A former address as a tronbyt server makes it. */
enum { ALIAS_LENGTH_MAX = 100, ALIAS_HASH_BYTES = 16 };

struct device_reference {
	enum device_reference_kind kind;
	struct id id;
	struct str serial; /* points into the text */
	uint8_t mac[MAC_BYTES];
};

/* Reads a reference. A text of no known form is DEVICE_REFERENCE_NONE. */
struct device_reference device_reference_parse(struct str text);

/* Reads the former address of an imported device: letters, digits and "-". Of 8 or 16 hexadecimal
 * digits the case does not count, and ret_alias has lower case; else it counts, as on the other
 * server. Returns the text in ret_alias, without a NUL; its data is NULL if it is no address. */
struct str alias_parse(struct str text, char ret_alias[static ALIAS_LENGTH_MAX]);
/* Whether others can guess the address, which alias_parse() has returned: it is made from a name,
 * or typed, and not a random number of 32 or 64 bits. */
bool alias_is_guessable(struct str alias);
/* Whether the address is the start of a path of displayd, so that no panel can use it. */
bool alias_is_reserved(struct str alias);
/* Hash of an address, which is shorter than most addresses and of fixed length. */
void alias_hash(struct str alias, uint8_t ret_hash[static ALIAS_HASH_BYTES]);

/* Reads twelve hexadecimal digits in either case: bare, or with colons or dashes between the pairs.
 */
bool mac_parse(struct str text, uint8_t ret_mac[static MAC_BYTES]);
/* Writes lower-case digits with colons, and a NUL. */
void mac_format(const uint8_t mac[static MAC_BYTES], char ret_text[static MAC_TEXT_LENGTH + 1]);

/* Whether text is 1 to 32 letters, digits, "-", "_", and has neither the form of a MAC address nor
 * that of an ID. */
bool serial_is_valid(struct str text);
