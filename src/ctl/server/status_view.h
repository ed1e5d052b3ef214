/* Output of displayctl status for people, made from two answers of the server: the state of the
 * second, and rates between them.
 *
 *   head, rates, workers          always complete
 *   queues, slowest, errors       shortened if the terminal is too low */
#pragma once

#include "ctl/server/status_line.h"

#include <yyjson.h>

struct status_view {
	const yyjson_val *before, *now; /* see src/api/status.c */
	uint64_t passed_ms;		/* time between them */
	struct status_page page;
};

/* Appends the page. */
void status_view_write(const struct status_view *view, struct buffer *out);
