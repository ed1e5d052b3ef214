/* New devices as the operator names them, a line each: ID, e-mail address of the account, name,
 * serial number, MAC address and the hash of the key in hexadecimal, with tabs between them. */
#pragma once

#include "record/record.h"

enum { DEVICE_LINES_MAX = 10000 };

struct device_lines {
	struct str lines;
	bool only_check; /* what the database would not take is asked for, and nothing is made */
};

extern const struct record device_lines_record;

/* NULL, or what is wrong, with its line. Fields may be empty if only_check is set. Touches nothing
 * else: for worker threads. */
const char *device_lines_check(const struct device_lines *lines, unsigned *ret_line);
