/* Text for a browser to keep, which only this server can have written: values, and a code of them,
 * in base64url. The code is made with a key derived from the instance's secret key for one purpose,
 * so no text passes for one of another purpose, and every instance with the same --secret-key-file
 * takes it. The values are readable to everybody. Pure. */
#pragma once

#include "domain/secret_settings.h"

#include <text/str.h>

/* Maximum of all bytes. */
enum { CODED_TEXT_BYTES_MAX = 96 };

/* All bytes together are a multiple of three. */
struct coded_text {
	const char *purpose;
	size_t value_bytes;
	size_t code_bytes;
};

/* ret_text: four characters for three bytes, and a NUL. */
void coded_text_write(const struct coded_text *kind, const struct settings_key *key,
		      const uint8_t *values, char *ret_text);

/* Returns false if the text was not made for this purpose with this key. */
__attribute__((warn_unused_result)) bool coded_text_read(const struct coded_text *kind,
							 const struct settings_key *key,
							 struct str text, uint8_t *ret_values);
