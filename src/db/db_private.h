/* The access to the database, for the files that make it up. */
#pragma once

#include "db/db.h"
#include "hint.h"
#include "hint_seen.h"
#include "list_queries.h"
#include "reads.h"
#include "storage_common.h"
#include "writes.h"

struct db {
	struct loop *loop;
	struct db_settings settings;
	char *backup_url; /* connection string for backup_run.c */
	struct hosts *hosts;
	struct survey survey;
	struct timeline timeline; /* no connection has another one, or an older one */
	struct reads reads;
	struct writes writes;
	struct list_queries lists;
	struct list_queries growing; /* reads whose work grows */
	struct list_queries apart;   /* statements with a connection of their own */
	struct hints hints;
	struct hint_seen seen;
	struct late late;
	struct storage own_storage;
	struct change_listener changes;
	bool hooks_are_due; /* events for webhooks were committed in this turn */
	struct doubts doubts;
	struct later wake; /* keeps the loop from sleeping before the end of the turn */
	struct turn_end turn_end;
	/* While the hint connection gets no answer: when to check the others. */
	struct deadline silence;
	uint64_t silent_since_ms;
	unsigned silent_looks;
	uv_prepare_t *alive; /* keeps the loop running while all connections pause */

	bool closing;
	void (*closed)(void *context);
	void *closed_context;
	struct later closed_later;
	struct deadline close_deadline;
};
