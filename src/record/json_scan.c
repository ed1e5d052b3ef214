#include "json_scan.h"
#include "base/limits.h"

#include <stdint.h>

enum {
	TOKEN,	/* of a number or a literal: all other characters */
	SPACE,	/* white space, a comma, a colon: between values */
	OPENS,	/* a container */
	CLOSES, /* a container */
	QUOTE,
};

static const uint8_t class_of[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, [','] = SPACE, [':'] = SPACE,
    ['['] = OPENS, ['{'] = OPENS,  [']'] = CLOSES, ['}'] = CLOSES, ['"'] = QUOTE,
};

/* Returns the end, after the quote, of a string that begins here. */
static const char *string_end(const char *at, const char *end)
{
	for (; at < end && *at != '"'; at++) {
		if (*at == '\\' && ++at == end)
			break;
	}
	return at < end ? at + 1 : end;
}

static const char *token_end(const char *at, const char *end)
{
	while (at < end && class_of[(unsigned char)*at] == TOKEN)
		at++;
	return at;
}

/* Other long tokens are not JSON, which a parser detects at once. */
static bool is_long_number(const char *at, const char *end)
{
	return end - at > LIMIT_JSON_NUMBER && (*at == '-' || (*at >= '0' && *at <= '9'));
}

static const char *space_end(const char *at, const char *end)
{
	while (at < end && class_of[(unsigned char)*at] == SPACE)
		at++;
	return at;
}

enum json_scan_result json_scan(struct str text, unsigned values_max)
{
	const char *at = text.data;
	const char *end = text.length ? at + text.length : at;
	unsigned depth = 0;
	unsigned values = 0;

	while ((at = space_end(at, end)) < end) {
		unsigned class = class_of[(unsigned char)*at];

		if (class == CLOSES) {
			depth -= depth > 0;
			at++;
			continue;
		}
		if (++values > values_max)
			return JSON_SCAN_TOO_MANY;
		if (class == QUOTE) {
			at = string_end(at + 1, end);
		} else if (class == TOKEN) {
			const char *token = at;

			at = token_end(token, end);
			if (is_long_number(token, at))
				return JSON_SCAN_TOO_LONG;
		} else {
			if (++depth > LIMIT_JSON_DEPTH)
				return JSON_SCAN_TOO_DEEP;
			at++;
		}
	}
	return JSON_SCAN_GOOD;
}
