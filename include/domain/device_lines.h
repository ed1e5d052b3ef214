/* New devices as the operator lists them, one a line: ID, e-mail address of the account, name,
 * serial number, MAC address and the hash of the key in hexadecimal, separated by tabs. */
#pragma once

#include "domain/device_lines_records.h"

enum { DEVICE_LINES_MAX = 10000 };

/* Outcome of a check. */
struct device_check {
	unsigned line;	      /* number of the last line that was read, from 1 */
	char refused[128];    /* why this line, and so all, is refused; empty: it is not */
	struct buffer faults; /* only_check: JSON objects, a fault each, with commas between them */
	struct buffer lines;  /* only_check: the lines without the values that have faults */
};

/* Checks the lines; if only_check is set, faults of values do not refuse them. *ret: zeroed; free
 * it with device_check_finish(). Safe in worker threads. */
void device_lines_check(const struct device_lines *lines, struct device_check *ret);
void device_check_finish(struct device_check *check);
