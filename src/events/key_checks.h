/* Looks whether the keys of open streams still open what they did: at once if a hint says that a
 * key has changed, several times a second while hints are silent, and all of them every 30 s, since
 * hints may be lost. A key's end is seen by the clock. */
#pragma once

#include "db/db.h"
#include "key_stream.h"

struct key_checks {
	struct loop *loop;
	struct db *db;
	struct list *all; /* of struct key_stream, by place.node */
	/* The key opens something else, or nothing; the stream may be ended inside this call. */
	void (*on_ended)(struct key_stream *stream);
	/* All that were to be looked at were. */
	void (*on_checked)(struct key_checks *checks);
	struct list waiting; /* of struct key_stream */
	struct list asked;   /* of those that the query under way is about */
	struct arena arena;  /* of that query */
	struct db_query query;
	bool is_asking;
	bool is_draining;
	uint64_t heard_ms;  /* all hints of before this time are known */
	uint64_t all_at_ms; /* when all are looked at again */
	struct later ask;
	struct deadline tick;		/* while there are streams */
	struct hint_subscription hints; /* "key" */
};

/* The caller has set loop, db, all and the functions. */
void key_checks_init(struct key_checks *checks);
/* No query is under way any more. */
void key_checks_finish(struct key_checks *checks);
/* Asks for nothing from now on. */
void key_checks_drain(struct key_checks *checks);

/* The stream has opened, or its key may have changed. */
void key_checks_add(struct key_checks *checks, struct key_stream *stream);
void key_checks_add_all(struct key_checks *checks);
