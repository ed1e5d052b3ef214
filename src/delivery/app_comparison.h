/* Regularly compares the worker's render keys with the database, some at a time, to make up for
 * lost hints. Render keys named by hints do not wait for a comparison. */
#pragma once

#include "render_keys.h"

struct app_comparison {
	struct render_keys *render_keys;
	struct list to_compare; /* of struct render_key */
	struct later next;
	bool is_under_way;
	unsigned turns; /* turns since the last comparison */
};

/* Prepares comparisons, for the lifetime of the render keys. Compares nothing any more once they
 * are drained. */
void app_comparison_init(struct app_comparison *comparison, struct render_keys *render_keys);
void app_comparison_finish(struct app_comparison *comparison);

/* up: hints arrive again, and some may have been lost. A comparison under way continues.
 */
void app_comparison_on_hints_up(struct app_comparison *comparison, bool up);
/* Call it at each turn of reconciliation. While hints arrive there is little to repair, so only
 * some turns count. */
void app_comparison_turn(struct app_comparison *comparison);
