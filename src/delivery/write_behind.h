/* What is written down in batches and nobody waits for: when devices were online, and which push
 * was displayed first when. What a database that went away did not take is kept for later. */
#pragma once

#include "db/db.h"
#include "panels.h"

/* A push that was first displayed here, to be written down. */
struct displayed {
	struct id device_id;
	int64_t generation;
	int64_t wall_us;
};

enum { DISPLAYED_MAX = 512 };

struct write_behind {
	struct loop *loop;
	struct db *db;
	struct panels *panels;
	struct deadline seen_deadline;
	struct deadline displayed_deadline;
	struct displayed displayed[DISPLAYED_MAX];
	unsigned displayed_count;
	unsigned under_way; /* writes */
	uint64_t seen_ms;   /* from one batch to the next */
	bool is_draining;
};

/* loop, db, panels and seen_ms are set, the rest is zeroed. */
void write_behind_init(struct write_behind *write_behind);
/* Nothing is under way any more. */
void write_behind_finish(struct write_behind *write_behind);
void write_behind_set_interval(struct write_behind *write_behind, uint64_t seen_ms);
/* Writes at once what there is; from now on everything is written at once. */
void write_behind_drain(struct write_behind *write_behind);

/* The panel's push is displayed for the first time; also told to this instance's other workers. */
void write_behind_displayed(struct write_behind *write_behind, struct panel *panel,
			    int64_t generation, int64_t wall_us);
