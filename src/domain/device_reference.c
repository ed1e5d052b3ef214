#include "domain/device_reference.h"
#include "base/hex.h"
#include "base/memory.h"

#include <sodium.h>
#include <stdio.h>

enum { ALIAS_RANDOM_MAX = 16 };

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

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether the text has the form of a random number that the other server makes. */
static bool is_random(struct str text)
{
	uint8_t bytes[ALIAS_RANDOM_MAX / 2];

	return (text.length == 8 || text.length == ALIAS_RANDOM_MAX) &&
	       hex_decode(text, bytes, text.length / 2);
}

struct str alias_parse(struct str text, char ret_alias[static ALIAS_LENGTH_MAX])
{
	bool ignores_case = is_random(text);

	if (text.length == 0 || text.length > ALIAS_LENGTH_MAX)
		return (struct str){0};
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (!is_letter(c) && !is_digit(c) && c != '-')
			return (struct str){0};
		ret_alias[i] = ignores_case && c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
	}
	return (struct str){ret_alias, text.length};
}

bool alias_is_guessable(struct str alias)
{
	if (!is_random(alias))
		return true;
	for (size_t i = 0; i < alias.length; i++)
		if (is_digit(alias.data[i]))
			return false;
	return true; /* a word, such as "deadbeef": of random numbers one in 2,500 has no digit */
}

bool alias_is_reserved(struct str alias)
{
	static const char *const first_segments[] = {
	    "account", "admin",	 "apps",    "d",     "development", "devices",	"docs",
	    "link",    "livez",	 "metrics", "panel", "readyz",	    "register", "review",
	    "status",  "studio", "v0",	    "v1",    "v2",	    "web",
	};

	for (size_t i = 0; i < array_length(first_segments); i++)
		if (str_equal_ignore_case(alias, str_from(first_segments[i])))
			return true;
	return false;
}

void alias_hash(struct str alias, uint8_t ret_hash[static ALIAS_HASH_BYTES])
{
	crypto_generichash(ret_hash, ALIAS_HASH_BYTES, (const uint8_t *)alias.data, alias.length,
			   NULL, 0);
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
