/* Checks the limits of a JSON text before it is parsed: a hostile text costs only this scan, which
 * stops at the limit, and no memory. */
#pragma once

#include <text/str.h>

enum json_scan_result {
	JSON_SCAN_GOOD,
	JSON_SCAN_TOO_DEEP,
	JSON_SCAN_TOO_MANY,
	JSON_SCAN_TOO_LONG, /* a number */
};

/* Whether the text stays within LIMIT_JSON_DEPTH, LIMIT_JSON_NUMBER and values_max. Counts the
 * values that a parser would make, names and containers included. For a text that is not JSON the
 * result is arbitrary. */
enum json_scan_result json_scan(struct str text, unsigned values_max);
