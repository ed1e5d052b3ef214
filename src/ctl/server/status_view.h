/* Output of displayctl status for people, made of two answers of the server: state of the second
 * one, rates between them.
 *
 *   head, rates, workers          always
 *   queues, slowest, errors       on a terminal that is too low, fewer lines of them */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

struct status_view {
	const yyjson_val *before, *now; /* see src/api/status.c */
	uint64_t passed_ms;		/* between them */
	bool is_live;			/* it is shown again and again, over what was there */
	bool has_colours;
	size_t width;  /* longer lines are cut; 0: none is */
	size_t height; /* lines that there is room for; 0: for all */
};

void status_view_write(const struct status_view *view, struct buffer *out);
