/* Compares what a worker knows of the places with the database now and then, some at a time:
 * repairs what lost hints left behind. What hints name meanwhile waits for no comparison. */
#pragma once

#include "render_keys.h"

struct app_comparison {
	struct render_keys *render_keys;
	struct list to_compare; /* of struct render_key */
	struct later next;
	bool is_under_way;
	unsigned turns; /* since the last one */
};

/* Prepares comparisons, which last while the places do. When the places are drained nothing is
 * compared any more. */
void app_comparison_init(struct app_comparison *comparison, struct render_keys *render_keys);
void app_comparison_finish(struct app_comparison *comparison);

/* up: hints arrive again, and some may have been lost. Where a comparison is under way, it goes on.
 */
void app_comparison_on_hints_up(struct app_comparison *comparison, bool up);
/* Reconciliation has its turn. While hints arrive there is little to repair: only some turns count
 * then. */
void app_comparison_turn(struct app_comparison *comparison);
