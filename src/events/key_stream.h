/* Stream of events to a program.
 *
 * Events of the ring come in their order. A stream remembers the number of its next event. Events
 * that the reader does not take in time drop out of the ring, and the reader gets "reset". */
#pragma once

#include "events/event_stream.h"
#include "events/event_views.h"
#include "events/stream_shares.h"
#include "listeners.h"

struct key_stream {
	struct stream_member member;
	struct list to_check;  /* of key_checks.c */
	struct list to_follow; /* of struct events: the account's devices were loaded anew */
	struct events *events;
	struct event_stream stream;
	struct event_views views; /* views of its devices */
	struct listener *listener;
	struct id account_id;
	uint8_t key_hash[KEY_HASH_BYTES];
	bool has_no_key;	/* the key is not checked */
	struct key_scope scope; /* the devices are owned copies */
	int slot;		/* slot of its key, see key_slots.h */
	struct id *ids;		/* IDs of its devices, sorted; not if is_all */
	unsigned count;
	bool is_all;
	bool has_begun; /* the head was written */
	bool is_paused; /* the database is unavailable: nothing is written, since the key may have
			   been revoked */
	bool owes_reset;
	uint64_t next; /* number of its next event of the ring */
};

/* Set account_id, listener, is_all and views.delivery before; wish->ids are the devices. */
void key_stream_init(struct key_stream *stream, struct loop *loop, const struct event_wish *wish);
void key_stream_finish(struct key_stream *stream);
/* Adds view subscriptions for these devices if missing. Returns false if there is no room. */
bool key_stream_subscribe(struct key_stream *stream, const struct id *ids, unsigned count);
/* Writes waiting events, as far as the reader takes them. */
void key_stream_proceed(struct key_stream *stream);
/* Call it when the database became unavailable, or is back. */
void key_stream_pause(struct key_stream *stream);
void key_stream_resume(struct key_stream *stream);
