/* Checks whether the sessions of open streams have ended: at once after a hint, and all of them
 * every 30 s, since hints may be lost and sessions expire. */
#pragma once

#include "db/db.h"
#include "web/page_stream.h"

struct session_checks {
	struct loop *loop;
	struct db *db;
	struct list *all; /* of struct page_stream: the streams */
	/* Called when the session of the stream has ended; the stream may be ended inside this
	 * call. */
	void (*on_ended)(struct page_stream *page);
	/* Called when the session is valid; the stream has the current roles of its account. */
	void (*on_alive)(struct page_stream *page);
	struct list waiting; /* of struct page_stream */
	struct list asked;   /* streams of the query under way */
	struct arena arena;  /* arena of that query */
	struct db_query query;
	bool is_asking;
	bool is_draining;
	struct later ask;
	struct deadline next;
};

/* Set loop, db, all, on_ended and on_alive before. */
void session_checks_init(struct session_checks *checks);
/* Call it when no query is under way. */
void session_checks_finish(struct session_checks *checks);
/* Checks nothing from now on. */
void session_checks_drain(struct session_checks *checks);

/* Call it if the stream's session may have ended. */
void session_checks_add(struct session_checks *checks, struct page_stream *page);
/* Whether the stream's session and roles are about to be read again. */
bool session_checks_has(const struct page_stream *page);
void session_checks_add_all(struct session_checks *checks);
