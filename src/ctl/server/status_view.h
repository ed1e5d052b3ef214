/* Output of displayctl status for people, made of two answers of the server: state of the second
 * one, rates between them.
 *
 *   head, rates, workers          always
 *   queues, slowest, errors       on a terminal that is too low, fewer lines of them */
#pragma once

#include "ctl/server/status_line.h"

#include <yyjson.h>

struct status_view {
	const yyjson_val *before, *now; /* see src/api/status.c */
	uint64_t passed_ms;		/* between them */
	struct status_page page;
};

void status_view_write(const struct status_view *view, struct buffer *out);
