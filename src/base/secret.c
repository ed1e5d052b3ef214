#include "base/secret.h"

#include "base/hex.h"
#include "base/swar.h"

#include <string.h>

enum {
	LINK_KEY_CHARACTERS = 24,
	/* Behind "ddk_" also a part of a key is masked, but no word. */
	API_KEY_CHARACTERS_MIN = 8,
	KEY_CHARACTERS_MAX = 36,
	ENCODED_BYTES = 3, /* of a character that is percent-encoded */
};

static const bool is_alphanumeric[256] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

struct run {
	size_t length;	   /* in bytes */
	size_t characters; /* fewer, where some are percent-encoded */
	bool has_upper, has_lower;
	char last[3];
};

/* The character at a place, and its bytes. Where percent-encoding is not decoded, the two digits
 * behind a "%" belong to it. */
static char character_at(struct str text, size_t at, bool decodes, size_t *ret_width)
{
	char c = text.data[at];
	int high, low;

	*ret_width = 1;
	if (c != '%' || text.length - at < 3)
		return c;
	*ret_width = 3;
	high = hex_digit(text.data[at + 1]);
	low = hex_digit(text.data[at + 2]);
	if (decodes && high >= 0 && low >= 0)
		c = (char)(high << 4 | low);
	return c;
}

/* The letters and digits from a place on. */
static struct run run_at(struct str text, size_t at, bool decodes)
{
	struct run run = {0};
	size_t width;

	for (; at < text.length; at += width) {
		char c = character_at(text, at, decodes, &width);

		if (!is_alphanumeric[(uint8_t)c])
			break;
		run.length += width;
		run.characters++;
		run.has_upper |= is_upper(c);
		run.has_lower |= is_lower(c);
		run.last[0] = run.last[1];
		run.last[1] = run.last[2];
		run.last[2] = c;
	}
	return run;
}

/* A request's ID may have 24 letters and digits, too, but seldom upper and lower case. */
static bool is_link_key(const struct run *run)
{
	return run->characters == LINK_KEY_CHARACTERS && run->has_upper && run->has_lower;
}

static bool has_upper(struct str text)
{
	size_t i = 0;

	for (; i + 8 <= text.length; i += 8)
		if (swar_has_between(swar_load(text.data + i), 'A', 'Z'))
			return true;
	for (; i < text.length; i++)
		if (is_upper(text.data[i]))
			return true;
	return false;
}

/* Where text is inside of a run, its length; but of a longer one only that it is longer than max.
 */
static size_t run_length_around(struct str text, size_t at, size_t max)
{
	size_t from = at, to = at;

	while (to < text.length && to - at <= max && is_alphanumeric[(uint8_t)text.data[to]])
		to++;
	if (to == at)
		return 0;
	while (to - from <= max && from > 0 && is_alphanumeric[(uint8_t)text.data[from - 1]])
		from--;
	return to - from;
}

/* A run of 24 has one of the places in it that are looked at. What stands behind a "%" may seem to
 * belong to the run. */
static bool may_hold_link_key(struct str text)
{
	for (size_t at = LINK_KEY_CHARACTERS - 1; at < text.length; at += LINK_KEY_CHARACTERS) {
		size_t length = run_length_around(text, at, LINK_KEY_CHARACTERS + 2);

		if (length >= LINK_KEY_CHARACTERS && length <= LINK_KEY_CHARACTERS + 2)
			return true;
	}
	return false;
}

/* Texts are many, and hold seldom a key: few of their characters are looked at one by one. */
static bool may_hold_key(struct str text)
{
	const char *end = text.data + text.length;

	if (has_upper(text) && may_hold_link_key(text))
		return true;
	for (const char *at = text.data; (at = memchr(at, '_', (size_t)(end - at))); at++) {
		if (at - text.data >= 3 && memcmp(at - 3, "ddk", 3) == 0)
			return true;
	}
	return false;
}

static bool mask_runs(struct str text, bool decodes, char *ret)
{
	bool is_behind_prefix = false, found = false;
	size_t width;

	for (size_t at = 0; at < text.length; at += width) {
		struct run run = run_at(text, at, decodes);

		if (is_link_key(&run) ||
		    (is_behind_prefix && run.characters >= API_KEY_CHARACTERS_MIN)) {
			memset(ret + at, '*', run.length);
			found = true;
		}
		at += run.length;
		if (at == text.length)
			break;
		is_behind_prefix = character_at(text, at, decodes, &width) == '_' &&
				   memcmp(run.last, "ddk", 3) == 0;
	}
	return found;
}

bool secret_mask(struct str text, char *ret)
{
	bool is_encoded = text.length > 0 && memchr(text.data, '%', text.length), found;

	if (!is_encoded && !may_hold_key(text))
		return false;
	memcpy(ret, text.data, text.length);
	found = mask_runs(text, /* decodes= */ false, ret);
	if (is_encoded)
		found |= mask_runs(text, /* decodes= */ true, ret);
	return found;
}

size_t secret_cut(struct str text, size_t max)
{
	size_t cut = max, longest = KEY_CHARACTERS_MAX;

	if (text.length <= max)
		return text.length;
	for (; cut > 0 && max - cut < longest; cut--) {
		char c = text.data[cut - 1];

		if (c == '%')
			longest = ENCODED_BYTES * KEY_CHARACTERS_MAX;
		else if (!is_alphanumeric[(uint8_t)c])
			break;
	}
	return cut;
}
