/* A stream of events to a page: what is written to it, and when.
 *
 * A topic is written at once, and those that come within a moment after it together and once each:
 * however fast a device gets pushes, its page asks a few times a second. */
#pragma once

#include "base/buffer.h"
#include "base/id.h"
#include "http/stream.h"
#include "loop/loop.h"

struct page_view;
struct streams;
struct stream_share;

struct page_stream {
	struct list node;	    /* in streams->all */
	struct list of_share;	    /* in share->streams */
	struct list to_check;	    /* of session_checks.c */
	struct streams *streams;    /* where it lies */
	struct stream_share *share; /* of its account */
	struct loop *loop;
	struct http_stream *stream;
	struct id session_id;
	bool is_reviewer;
	bool is_administrator;
	/* Topics of roles that came while the roles are read again. */
	bool owes_reviews;
	bool owes_admin;
	bool has_begun; /* the head was written */
	struct deadline ping;
	struct buffer topics; /* that wait, a line each */
	bool has_too_many;    /* so many that there was no room: the page asks for all */
	uint64_t told_ms;     /* when topics were last written */
	struct deadline tell; /* when those that wait are written */
	/* Used by page_views.c: */
	struct page_view *views; /* of the devices that the page shows */
	unsigned view_count;
	struct list to_write; /* of struct page_view */
};

/* The caller has set loop. */
void page_stream_init(struct page_stream *page);
/* Gives back what the stream owns; its deadlines are cleared. */
void page_stream_finish(struct page_stream *page);

/* Writes an event; data: a JSON object. */
void page_stream_write(struct page_stream *page, const char *event, struct str data);
/* Something changed; topic: as web_changed() takes it. */
void page_stream_tell(struct page_stream *page, struct str topic);
/* The reader has taken what was written: what waits for it is written. */
void page_stream_proceed(struct page_stream *page);
