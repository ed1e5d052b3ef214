/* Renews this worker's row among the writers of hints by a write, while its hint connection cannot:
 * other instances go on distrusting what they know, instead of forgetting it (beats.h). */
#pragma once

#include "hint.h"

struct hint_seen {
	struct db_query query;
	struct arena arena;
	struct hints *hints;
	uint64_t sent_ms;
	bool is_under_way;
};

/* Returns the write for db_submit(); NULL: one is under way. Zero the struct before the first call;
 * it and the hints must outlive the db's last answer. */
struct db_query *hint_seen_query(struct hint_seen *seen, struct hints *hints);
