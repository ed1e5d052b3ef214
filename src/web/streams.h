/* Open streams of events of a worker (GET /web/events).
 *
 * A stream ends when its session has ended, when its client leaves, and when the worker drains. An
 * account may have LIMIT_PAGE_STREAMS_OF_ACCOUNT of them. */
#pragma once

#include "db/db.h"
#include "domain/person.h"
#include "page_stream.h"

struct streams;

/* loop and db must outlive the streams. */
struct streams *streams_create(struct loop *loop, struct db *db);
/* Checks no sessions from now on. The HTTP server ends the streams when it drains. */
void streams_drain(struct streams *streams);
/* Call it when no stream is left, and the database's connections are closed. */
void streams_destroy(struct streams *streams);

/* Whether no account may have one more stream. */
bool streams_are_full(const struct streams *streams);
/* Whether the account may have one more stream. */
bool streams_have_room(const struct streams *streams, struct id account_id);
/* Opens a stream of this person's session. Pass page_stream_source, the result and the address of
 * its stream to task_hand_over() in the same step: from then on the stream owns itself. Or undo it
 * by streams_leave(). */
struct page_stream *streams_open(struct streams *streams, const struct person *person,
				 struct id session_id);
void streams_leave(struct page_stream *page);
extern const struct http_stream_source page_stream_source;
