#include "base/secret.h"
#include "base/swar.h"

enum {
	LINK_KEY_CHARACTERS = 24,
	/* Behind "ddk_" also a part of a key is masked, but no word. */
	API_KEY_CHARACTERS_MIN = 8,
	KEY_CHARACTERS_MAX = 36,
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

/* The letters and digits at the front. */
static size_t run_length(struct str text)
{
	size_t length = 0;

	while (length < text.length && is_alphanumeric[(uint8_t)text.data[length]])
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

bool secret_mask(struct str text, char *ret)
{
	bool is_behind_prefix = false, found = false;

	if (!may_hold_key(text))
		return false;
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

size_t secret_cut(struct str text, size_t max)
{
	size_t cut = max;

	if (text.length <= max)
		return text.length;
	while (cut > 0 && max - cut < KEY_CHARACTERS_MAX &&
	       is_alphanumeric[(uint8_t)text.data[cut - 1]])
		cut--;
	return cut;
}
