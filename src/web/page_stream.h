/* Stream of events to a page.
 *
 * A topic is written at once; those that follow within a moment are written together, once each:
 * however fast a device gets pushes, its page reads only a few times a second. */
#pragma once

#include "base/buffer.h"
#include "base/id.h"
#include "events/event_stream.h"
#include "events/event_views.h"
#include "events/stream_shares.h"

struct streams;

struct page_stream {
	struct stream_member member;
	struct list to_check;	 /* of session_checks.c */
	struct streams *streams; /* owner of the stream */
	struct event_stream stream;
	struct id session_id;
	bool is_reviewer;
	bool is_administrator;
	/* Topics of roles to write after the roles were read again. */
	bool owes_reviews;
	bool owes_admin;
	bool has_begun;		  /* the head was written */
	struct buffer topics;	  /* waiting topics, a line each */
	bool has_too_many;	  /* topics did not fit: the page must read everything again */
	uint64_t told_ms;	  /* when topics were last written */
	struct deadline tell;	  /* when waiting topics are written */
	struct event_views views; /* views of the devices that the page shows */
};

void page_stream_init(struct page_stream *page, struct loop *loop);
/* Frees everything that the stream owns, and clears its deadlines. */
void page_stream_finish(struct page_stream *page);

/* Writes an event; data: a JSON object. */
void page_stream_write(struct page_stream *page, const char *event, struct str data);
/* Reports a change; topic: as for web_changed(). */
void page_stream_tell(struct page_stream *page, struct str topic);
/* Call it when the reader has taken everything written: writes waiting events. */
void page_stream_proceed(struct page_stream *page);
