/* A stream of events to a page: what is written to it, and when.
 *
 * A topic is written at once, and those that come within a moment after it together and once each:
 * however fast a device gets pushes, its page asks a few times a second. */
#pragma once

#include "base/buffer.h"
#include "base/id.h"
#include "events/event_stream.h"
#include "events/event_views.h"
#include "events/stream_shares.h"

struct streams;

struct page_stream {
	struct stream_place place;
	struct list to_check;	 /* of session_checks.c */
	struct streams *streams; /* where it lies */
	struct event_stream stream;
	struct id session_id;
	bool is_reviewer;
	bool is_administrator;
	/* Topics of roles that came while the roles are read again. */
	bool owes_reviews;
	bool owes_admin;
	bool has_begun;		  /* the head was written */
	struct buffer topics;	  /* that wait, a line each */
	bool has_too_many;	  /* so many that there was no room: the page asks for all */
	uint64_t told_ms;	  /* when topics were last written */
	struct deadline tell;	  /* when those that wait are written */
	struct event_views views; /* of the devices that the page shows */
};

void page_stream_init(struct page_stream *page, struct loop *loop);
/* Gives back what the stream owns; its deadlines are cleared. */
void page_stream_finish(struct page_stream *page);

/* Writes an event; data: a JSON object. */
void page_stream_write(struct page_stream *page, const char *event, struct str data);
/* Something changed; topic: as web_changed() takes it. */
void page_stream_tell(struct page_stream *page, struct str topic);
/* The reader has taken what was written: what waits for it is written. */
void page_stream_proceed(struct page_stream *page);
