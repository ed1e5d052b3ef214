/* Looks whether the sessions of open streams have ended: at once if a hint says that one may
 * have, and all of them every 30 s, since hints may be lost and sessions end by their age. */
#pragma once

#include "db/db.h"
#include "web/page_stream.h"

struct session_checks {
	struct loop *loop;
	struct db *db;
	struct list *all; /* of struct page_stream: the streams */
	/* The session of the stream has ended; it may be ended inside this call. */
	void (*on_ended)(struct page_stream *page);
	/* The session is alive, and the stream has the present roles of its account. */
	void (*on_alive)(struct page_stream *page);
	struct list waiting; /* of struct page_stream */
	struct list asked;   /* of those that the query under way is about */
	struct arena arena;  /* of that query */
	struct db_query query;
	bool is_asking;
	bool is_draining;
	struct later ask;
	struct deadline next;
};

/* The caller has set loop, db, all, on_ended and on_alive. */
void session_checks_init(struct session_checks *checks);
/* No query is under way any more. */
void session_checks_finish(struct session_checks *checks);
/* Asks for nothing from now on. */
void session_checks_drain(struct session_checks *checks);

/* The stream's session may have ended. */
void session_checks_add(struct session_checks *checks, struct page_stream *page);
/* Whether the stream's session and roles are about to be read again. */
bool session_checks_has(const struct page_stream *page);
void session_checks_add_all(struct session_checks *checks);
