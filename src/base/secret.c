#include "base/secret.h"

enum {
	LINK_KEY_CHARACTERS = 24,
	/* Behind "ddk_" also a part of a key is masked, but no word. */
	API_KEY_CHARACTERS_MIN = 8,
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* The letters and digits at the front. */
static size_t run_length(struct str text)
{
	size_t length = 0;

	while (length < text.length && (is_digit(text.data[length]) ||
					is_upper(text.data[length]) || is_lower(text.data[length])))
		length++;
	return length;
}

/* A request's ID may have 24 letters and digits, too, but seldom upper and lower case. */
static bool is_link_key(struct str run)
{
	bool has_upper = false, has_lower = false;

	if (run.length != LINK_KEY_CHARACTERS)
		return false;
	for (size_t i = 0; i < run.length; i++) {
		has_upper |= is_upper(run.data[i]);
		has_lower |= is_lower(run.data[i]);
	}
	return has_upper && has_lower;
}

/* Length of what stands between runs at the front; the two digits behind a "%" belong to it. */
static size_t gap_length(struct str text)
{
	return text.data[0] == '%' && text.length >= 3 ? 3 : 1;
}

bool secret_mask(struct str text, char *ret)
{
	bool is_behind_prefix = false, found = false;

	memcpy(ret, text.data, text.length);
	for (size_t at = 0; at < text.length;) {
		struct str rest = str_from_offset(text, at);
		struct str run = {rest.data, run_length(rest)};

		if (is_link_key(run) ||
		    (is_behind_prefix && run.length >= API_KEY_CHARACTERS_MIN)) {
			memset(ret + at, '*', run.length);
			found = true;
		}
		at += run.length;
		if (at == text.length)
			break;
		is_behind_prefix = text.data[at] == '_' && run.length >= 3 &&
				   memcmp(text.data + at - 3, "ddk", 3) == 0;
		at += gap_length(str_from_offset(text, at));
	}
	return found;
}
