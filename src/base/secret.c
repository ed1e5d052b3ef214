#include "base/secret.h"

#include "base/hex.h"

#include <string.h>
#include <text/swar.h>

enum {
	LINK_KEY_CHARACTERS = 24,
	/* Longest run that is masked, including characters adjacent to the key. The first link,
	 * which the server prints, has a token of 43. */
	GLUED_CHARACTERS_MAX = 32,
	/* Fewest characters after "ddk_" that are masked: a part of a key, but not a word. */
	API_KEY_CHARACTERS_MIN = 8,
	KEY_CHARACTERS_MAX = 36,
	/* Letters of each case that a run needs if it has no digit, and if it has adjacent
	 * characters. */
	LETTERS_MIN = 5,
	GLUED_LETTERS_MIN = 4,
	ENCODED_BYTES = 5, /* bytes of a character that is percent-encoded twice */
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

/* Interpretation of a "%". */
enum reading {
	AS_IT_STANDS, /* an ordinary character */
	DECODED,      /* the beginning of an encoded character */
};

struct run {
	size_t length;	   /* in bytes */
	size_t characters; /* fewer than bytes if some are percent-encoded */
	unsigned upper, lower, digits;
	char last[3];
};

static bool is_encoded_byte(struct str text, size_t at)
{
	return text.length - at >= 2 && hex_digit(text.data[at]) >= 0 &&
	       hex_digit(text.data[at + 1]) >= 0;
}

/* Returns the character at an offset, and its bytes: more than three if it is encoded more than
 * once, as in "%252F"; a "%" alone is itself. */
static char character_at(struct str text, size_t at, enum reading reading, size_t *ret_width)
{
	size_t digits = at + 1;

	*ret_width = 1;
	if (text.data[at] != '%' || reading != DECODED || !is_encoded_byte(text, digits))
		return text.data[at];
	while (memcmp(text.data + digits, "25", 2) == 0 && is_encoded_byte(text, digits + 2))
		digits += 2;
	*ret_width = digits + 2 - at;
	return (char)(hex_digit(text.data[digits]) << 4 | hex_digit(text.data[digits + 1]));
}

static void run_add(struct run *run, char c)
{
	run->characters++;
	run->upper += is_upper(c);
	run->lower += is_lower(c);
	run->digits += c >= '0' && c <= '9';
	run->last[0] = run->last[1];
	run->last[1] = run->last[2];
	run->last[2] = c;
}

/* Returns the run of letters and digits at an offset. When decoding, a "%" that encodes nothing is
 * skipped. */
static struct run run_at(struct str text, size_t at, enum reading reading)
{
	struct run run = {0};
	size_t width;

	for (; at < text.length; at += width) {
		char c = character_at(text, at, reading, &width);
		bool is_stray = c == '%' && width == 1 && reading == DECODED && run.length > 0;

		if (is_alphanumeric[(uint8_t)c])
			run_add(&run, c);
		else if (!is_stray)
			break;
		run.length += width;
	}
	return run;
}

static bool is_mixed(const struct run *run, unsigned least)
{
	return run->upper >= least && run->lower >= least;
}

/* A request ID may also have 24 letters and digits, but rarely both cases, and an identifier of so
 * many letters consists of words. Longer runs may be hashes after a word: 980 of a thousand keys
 * with adjacent characters are distinguished from these. */
static bool is_link_key(const struct run *run)
{
	if (run->characters < LINK_KEY_CHARACTERS || run->characters > GLUED_CHARACTERS_MAX)
		return false;
	if (run->characters > LINK_KEY_CHARACTERS)
		return run->digits > 0 && is_mixed(run, GLUED_LETTERS_MIN);
	return is_mixed(run, run->digits > 0 ? 1 : LETTERS_MIN);
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

/* Whether an offset is inside a run that may be a key. Looks no further. */
static bool is_in_long_run(struct str text, size_t at)
{
	size_t from = at, to = at;

	while (to < text.length && to - at < LINK_KEY_CHARACTERS &&
	       is_alphanumeric[(uint8_t)text.data[to]])
		to++;
	if (to == at)
		return false;
	while (from > 0 && to - from < LINK_KEY_CHARACTERS &&
	       is_alphanumeric[(uint8_t)text.data[from - 1]])
		from--;
	return to - from >= LINK_KEY_CHARACTERS;
}

/* Looks only at every few characters: a run of 24 contains one of them. */
static bool may_hold_link_key(struct str text)
{
	for (size_t at = LINK_KEY_CHARACTERS - 1; at < text.length; at += LINK_KEY_CHARACTERS)
		if (is_in_long_run(text, at))
			return true;
	return false;
}

/* Fast check, since most texts have no key: looks at few characters. */
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

/* Adds asterisks to ret. If the end of a run is masked already, the other interpretation found its
 * start better: "%2F" is not part of it. */
static bool mask_runs(struct str text, enum reading reading, char *ret)
{
	bool is_behind_prefix = false, found = false;
	size_t width;

	for (size_t at = 0; at < text.length; at += width) {
		struct run run = run_at(text, at, reading);
		bool is_key =
		    is_behind_prefix ? run.characters >= API_KEY_CHARACTERS_MIN : is_link_key(&run);

		if (is_key && ret[at + run.length - 1] != '*') {
			memset(ret + at, '*', run.length);
			found = true;
		}
		at += run.length;
		if (at == text.length)
			break;
		is_behind_prefix = character_at(text, at, reading, &width) == '_' &&
				   memcmp(run.last, "ddk", 3) == 0;
	}
	return found;
}

/* When decoding, a "%" may seem to include the first characters of a key, so both interpretations
 * are masked. */
bool secret_mask(struct str text, char *ret)
{
	bool is_encoded = text.length > 0 && memchr(text.data, '%', text.length);
	bool may_hold_one = may_hold_key(text), found = false;

	if (!is_encoded && !may_hold_one)
		return false;
	memcpy(ret, text.data, text.length);
	if (is_encoded)
		found = mask_runs(text, DECODED, ret);
	if (may_hold_one)
		found |= mask_runs(text, AS_IT_STANDS, ret);
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
