/* Events of devices for programs with an API key (GET /v1/events).
 *
 *   view subscriptions of delivery ---------------------> "online", "shown": state, not kept
 *   hint "device:..." ---------------.
 *   events_pushed(), events_failed() |
 *     `--> hint "event:..." ---------+-> ring of the account -> "changed", "pushed", "failed"
 *   hint "listen:ACCOUNT" -----------'     in every worker that knows of a listener
 *
 * A worker with streams of an account sends a hint when a stream opens, and each minute. Workers
 * that got the hint in the last ten minutes keep the account's events for ten minutes. PostgreSQL
 * delivers hints in the same order to all, and the ID of an event is derived from its hint: so a
 * client that returns with Last-Event-ID may use any worker of any instance. If nobody listens,
 * nothing is sent or kept.
 *
 * Hints may be lost: then all rings are emptied, and streams get the event "reset", after which
 * clients must read everything again.
 *
 * Modules of src/events, each knows those before it: event_hint, ring, key_slots -> listeners ->
 * happenings, failures, key_stream -> key_checks -> events. */
#pragma once

#include "delivery/delivery.h"
#include "domain/api_key.h"
#include "domain/key.h"

struct events;
struct http_stream;
struct http_stream_source;
struct key_stream;

enum { EVENT_ID_BYTES = 16, EVENT_ID_LENGTH = 2 * EVENT_ID_BYTES };

struct events_settings {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct region_map *shared; /* contains event_region */
	unsigned worker;	   /* from 0 */
	unsigned workers;	   /* maximum of workers at a time */
};

/* Shared memory: the open streams of each key. */
extern const struct region event_region;

/* Objects in the settings must outlive the events. Free with events_destroy(). */
struct events *events_create(const struct events_settings *settings);
/* Ends all subscriptions. The HTTP server ends the streams when it drains. */
void events_drain(struct events *events);
/* Call it when no stream is left and the database's connections are closed, before
 * delivery_destroy(). */
void events_destroy(struct events *events);

/* ---- what happens ---- */

/* Reports that a push to a device of the account was answered. events: NULL if streams are off.
 * installation_id: data is NULL for a temporary image. Costs one look-up if nobody listens to the
 * account. */
void events_pushed(struct events *events, struct id account_id, struct id device_id,
		   int64_t generation, struct str installation_id);

/* Reports that a render of a render key has failed. generation: that of the stored result. Costs
 * nothing if nobody listens to any account. */
void events_failed(struct events *events, const uint8_t render_key[static RENDER_KEY_BYTES],
		   int64_t generation, struct id app_id, struct str message);

/* ---- streams ---- */

struct event_wait {
	struct list node; /* private */
	/* Called when other workers know of the listener, or cannot learn of it soon. */
	void (*done)(struct event_wait *wait);
};

/* Announces a listener of the account to all workers. Returns true if they know already. Returns
 * false if done() will be called, in a second at the latest; the wait must live until then. */
bool events_listen(struct events *events, struct id account_id, struct event_wait *wait);

struct event_wish {
	struct id account_id;
	const uint8_t *key_hash; /* of KEY_HASH_BYTES */
	bool has_no_key;	 /* key_hash is not that of a key that could be revoked */
	const struct key_scope *scope;
	const struct id *ids; /* IDs of the devices */
	unsigned count;
	bool is_all;		/* all devices of the account, future ones included */
	const uint8_t *last_id; /* of Last-Event-ID, EVENT_ID_BYTES; NULL: there is none */
};

enum event_refusal {
	EVENTS_NOT_REFUSED,
	EVENTS_FULL,		/* too many streams of the worker, or accounts with listeners */
	EVENTS_FULL_OF_ACCOUNT, /* too many streams of the account */
	EVENTS_FULL_OF_KEY,	/* too many streams of the key */
	EVENTS_FULL_OF_DEVICES, /* too many view subscriptions */
};

/* Opens a stream; the wish is copied. Pass key_stream_source, the stream and the address of its
 * http stream to task_hand_over() in the same step. From then on the stream owns itself. */
enum event_refusal events_open(struct events *events, const struct event_wish *wish,
			       struct key_stream **ret_stream);
struct http_stream **events_http_stream(struct key_stream *stream);
extern const struct http_stream_source key_stream_source;

/* Number of streams that are open with the API key, in all workers of this instance. */
unsigned events_count_of_key(const struct events *events,
			     const uint8_t key_hash[static KEY_HASH_BYTES]);

/* Reads a Last-Event-ID. Returns false if it is invalid. */
bool event_id_read(struct str text, uint8_t ret_id[static EVENT_ID_BYTES]);
