#include "known_browser.h"
#include "base/limits.h"
#include "coded_text.h"

#include <string.h>

enum { DAY_S = 24 * 3600, DAY_BYTES = 4, CODE_BYTES = 16, VALUE_BYTES = DAY_BYTES + ID_BYTES };

_Static_assert(KNOWN_BROWSER_LENGTH == (VALUE_BYTES + CODE_BYTES) / 3 * 4, "as base64url has it");

static const struct coded_text cookie = {"displayd known browser", VALUE_BYTES, CODE_BYTES};

void known_browser_write(const struct settings_key *key, int64_t now_s, struct id id,
			 char ret_text[static KNOWN_BROWSER_LENGTH + 1])
{
	uint32_t day = (uint32_t)(now_s / DAY_S);
	uint8_t bytes[VALUE_BYTES];

	for (unsigned i = 0; i < DAY_BYTES; i++)
		bytes[i] = (uint8_t)(day >> (8 * (DAY_BYTES - 1 - i)));
	memcpy(bytes + DAY_BYTES, id.bytes, ID_BYTES);
	coded_text_write(&cookie, key, bytes, ret_text);
}

bool known_browser_read(const struct settings_key *key, int64_t now_s, struct str text,
			struct id *ret_id)
{
	uint8_t bytes[VALUE_BYTES];
	int64_t day = 0;

	if (!coded_text_read(&cookie, key, text, bytes))
		return false;
	for (unsigned i = 0; i < DAY_BYTES; i++)
		day = day << 8 | bytes[i];
	memcpy(ret_id->bytes, bytes + DAY_BYTES, ID_BYTES);
	return now_s - day * DAY_S < LIMIT_KNOWN_BROWSER_S;
}
