/* New devices as the operator lists them, one a line: ID, e-mail address of the account, name,
 * serial number, MAC address and the hash of the key in hexadecimal, separated by tabs. */
#pragma once

#include "record/record.h"

enum { DEVICE_LINES_MAX = 10000 };

struct device_lines {
	struct str lines;
	bool only_check; /* asks the database for conflicts, and makes nothing */
};

extern const struct record device_lines_record;

/* Returns NULL, or the fault, with the number of its line. Fields may be empty if only_check is
 * set. Safe in worker threads. */
const char *device_lines_check(const struct device_lines *lines, unsigned *ret_line);
