/* Events of devices for programs with an API key (GET /v1/events).
 *
 *   view subscriptions of delivery ---------------------> "online", "shown": state, not kept
 *   hint "device:..." ---------------.
 *   events_pushed(), events_failed() |
 *     `--> hint "event:..." ---------+-> ring of the account -> "changed", "pushed", "failed"
 *   hint "listen:ACCOUNT" -----------'     in every worker that has heard that somebody listens
 *
 * A worker with streams of an account says so when one opens, and each minute; who has heard it in
 * the last ten minutes keeps the account's events of as long. PostgreSQL hands hints to all in one
 * order, and the ID of an event is made of its hint: so a client that comes back with Last-Event-ID
 * may come to any worker of any instance. Where nobody listens nothing is sent and nothing kept.
 *
 * Hints may be lost: then all rings begin anew, and the streams are told to ask for all ("reset").
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
	struct region_map *shared; /* with event_region */
	unsigned worker;	   /* from 0 */
	unsigned workers;	   /* that may be at a time */
};

/* Shared memory: the open streams of each key. */
extern const struct region event_region;

/* All in the settings must outlive the events. */
struct events *events_create(const struct events_settings *settings);
/* Nothing is looked at from now on. The HTTP server ends the streams when it drains. */
void events_drain(struct events *events);
/* No stream is left, and the database's connections are closed; before delivery_destroy(). */
void events_destroy(struct events *events);

/* ---- what happens ---- */

/* A push to a device of the account was answered. events: NULL if nobody can listen.
 * installation_id: data is NULL: it is temporary.
 * Costs one look-up if nobody listens to the account. */
void events_pushed(struct events *events, struct id account_id, struct id device_id,
		   int64_t generation, struct str installation_id);

/* A render of an app at a place has failed. generation: of the stored result. Costs nothing if
 * nobody listens to any account. */
void events_failed(struct events *events, const uint8_t render_key[static RENDER_KEY_BYTES],
		   int64_t generation, struct id app_id, struct str message);

/* ---- streams ---- */

struct event_wait {
	struct list node; /* private */
	/* Other workers know by now that the account is listened to, or will not soon. */
	void (*done)(struct event_wait *wait);
};

/* Tells the workers that somebody is about to listen to the account. True: they know. False: done()
 * will be called, in a second at the latest; the wait stays until then. */
bool events_listen(struct events *events, struct id account_id, struct event_wait *wait);

struct event_wish {
	struct id account_id;
	const uint8_t *key_hash; /* of KEY_HASH_BYTES */
	bool has_no_key;	 /* key_hash stands for none that could be revoked */
	const struct key_scope *scope;
	const struct id *ids; /* the devices */
	unsigned count;
	bool is_all;		/* they are all of the account: so are those that come */
	const uint8_t *last_id; /* of Last-Event-ID, EVENT_ID_BYTES; NULL: there is none */
};

enum event_refusal {
	EVENTS_NOT_REFUSED,
	EVENTS_FULL,		/* too many streams, or accounts that are listened to */
	EVENTS_FULL_OF_KEY,	/* the key has its streams */
	EVENTS_FULL_OF_DEVICES, /* too many devices are watched */
};

/* Opens a stream; all of the wish is copied. Give key_stream_source, the stream and where its http
 * stream is to task_hand_over(), from the same step: from then on it takes care of itself. */
enum event_refusal events_open(struct events *events, const struct event_wish *wish,
			       struct key_stream **ret_stream);
struct http_stream **events_http_stream(struct key_stream *stream);
extern const struct http_stream_source key_stream_source;

/* Number of streams that are open with the API key, in all workers of this instance. */
unsigned events_count_of_key(const struct events *events,
			     const uint8_t key_hash[static KEY_HASH_BYTES]);

/* Reads a Last-Event-ID. False: it is none. */
bool event_id_read(struct str text, uint8_t ret_id[static EVENT_ID_BYTES]);
