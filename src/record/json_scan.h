/* Checks the limits of a JSON text before it is parsed: a hostile text costs only this scan, which
 * stops at the limit, and no memory. */
#pragma once

#include <stdbool.h>
#include <text/str.h>

enum json_scan_result {
	JSON_SCAN_MORE,
	JSON_SCAN_GOOD,
	JSON_SCAN_TOO_DEEP,
	JSON_SCAN_TOO_MANY,
	JSON_SCAN_TOO_LONG, /* a number */
};

struct json_scan {
	const char *at, *end;
	unsigned values_max;
	unsigned depth, values;
	bool is_in_string;
};

void json_scan_init(struct json_scan *scan, struct str text, unsigned values_max);

/* Scans further, at most some 128 KiB. Returns JSON_SCAN_MORE; or at the end whether the text stays
 * within LIMIT_JSON_DEPTH, LIMIT_JSON_NUMBER and values_max. Counts the values that a parser would
 * make, names and containers included. For a text that is not JSON the result is arbitrary. */
enum json_scan_result json_scan_step(struct json_scan *scan);
