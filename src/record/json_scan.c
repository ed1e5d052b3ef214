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

enum { STEP_BYTES = 128 * 1024 };

static const uint8_t class_of[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, [','] = SPACE, [':'] = SPACE,
    ['['] = OPENS, ['{'] = OPENS,  [']'] = CLOSES, ['}'] = CLOSES, ['"'] = QUOTE,
};

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

/* Goes to the string's end, after the quote, or to the limit. */
static void scan_string(struct json_scan *scan, const char *limit)
{
	const char *at = scan->at;

	for (; at < limit && *at != '"'; at++) {
		if (*at == '\\' && ++at == scan->end)
			break;
	}
	scan->is_in_string = at < scan->end && *at != '"';
	scan->at = at < scan->end && !scan->is_in_string ? at + 1 : at;
}

/* Takes what begins here. */
static enum json_scan_result scan_next(struct json_scan *scan)
{
	unsigned class = class_of[(unsigned char)*scan->at];
	const char *begin = scan->at;

	if (class == CLOSES) {
		scan->depth -= scan->depth > 0;
		scan->at++;
		return JSON_SCAN_MORE;
	}
	if (++scan->values > scan->values_max)
		return JSON_SCAN_TOO_MANY;
	if (class == TOKEN) {
		scan->at = token_end(begin, scan->end);
		return is_long_number(begin, scan->at) ? JSON_SCAN_TOO_LONG : JSON_SCAN_MORE;
	}
	scan->at++;
	scan->is_in_string = class == QUOTE;
	if (class == OPENS && ++scan->depth > LIMIT_JSON_DEPTH)
		return JSON_SCAN_TOO_DEEP;
	return JSON_SCAN_MORE;
}

void json_scan_init(struct json_scan *scan, struct str text, unsigned values_max)
{
	*scan = (struct json_scan){.at = text.data, .end = text.data, .values_max = values_max};
	if (text.length)
		scan->end += text.length;
}

enum json_scan_result json_scan_step(struct json_scan *scan)
{
	struct json_scan now = *scan; /* in registers */
	const char *limit = now.end;
	enum json_scan_result result = JSON_SCAN_MORE;

	if (limit - now.at > STEP_BYTES)
		limit = now.at + STEP_BYTES;
	while (now.at < limit && result == JSON_SCAN_MORE) {
		if (now.is_in_string)
			scan_string(&now, limit);
		else if ((now.at = space_end(now.at, limit)) < limit)
			result = scan_next(&now);
	}
	*scan = now;
	return result == JSON_SCAN_MORE && now.at >= now.end ? JSON_SCAN_GOOD : result;
}
