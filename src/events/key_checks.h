/* Checks whether the keys of open streams still have the same scope: at once if a hint reports a
 * change of a key, several times a second while hints are silent, and all of them every 30 s, since
 * hints may be lost. The clock determines a key's end. */
#pragma once

#include "db/db.h"
#include "key_stream.h"

struct key_checks {
	struct loop *loop;
	struct db *db;
	struct list *all; /* of struct key_stream, by member.node */
	/* Called if the key has another scope, or is invalid; the stream may be ended inside this
	 * call. */
	void (*on_ended)(struct key_stream *stream);
	/* Called when all waiting streams were checked. */
	void (*on_checked)(struct key_checks *checks);
	struct list waiting; /* of struct key_stream */
	struct list asked;   /* streams of the query under way */
	struct arena arena;  /* arena of that query */
	struct db_query query;
	bool is_asking;
	bool is_draining;
	uint64_t heard_ms;  /* all hints before this time have arrived */
	uint64_t all_at_ms; /* when all are checked again */
	struct later ask;
	struct deadline tick;		/* set while there are streams */
	struct hint_subscription hints; /* "key" */
};

/* Set loop, db, all and the functions before. */
void key_checks_init(struct key_checks *checks);
/* Call it when no query is under way. */
void key_checks_finish(struct key_checks *checks);
/* Checks nothing from now on. */
void key_checks_drain(struct key_checks *checks);

/* Call it when a stream was opened, or its key may have changed. */
void key_checks_add(struct key_checks *checks, struct key_stream *stream);
void key_checks_add_all(struct key_checks *checks);
