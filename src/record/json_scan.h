/* The limits of a JSON text, before a tree is made of it: what a hostile text costs is then this
 * scan, which stops at the limit, and no memory. */
#pragma once

#include <text/str.h>

enum json_scan_result {
	JSON_SCAN_GOOD,
	JSON_SCAN_TOO_DEEP,
	JSON_SCAN_TOO_MANY,
	JSON_SCAN_TOO_LONG, /* a number */
};

/* Whether the text stays within LIMIT_JSON_DEPTH, LIMIT_JSON_NUMBER and values_max. Counts what a
 * parser would make of it, names and containers included; of a text that is not JSON it may say
 * anything. */
enum json_scan_result json_scan(struct str text, unsigned values_max);
