/* Accounts with listeners, with their devices and their ring of events.
 *
 *   "listen:ACCOUNT" heard, or a stream opened here --> IDs of its devices are loaded
 *        --happenings--> ring --> on_event()
 *   not heard for ten minutes, and no stream here --> forgotten
 *
 * All workers keep the same events in the same order, but may begin with different ones. */
#pragma once

#include "base/map.h"
#include "db/db.h"
#include "db/statements.h"
#include "event_hint.h"
#include "events/events.h"
#include "ring.h"

struct listener_device;

struct listener {
	struct map_node by_account;
	struct id account_id;
	struct ring ring;
	struct listener_device *devices;
	unsigned device_count;
	unsigned streams;  /* streams of this worker */
	struct list waits; /* of struct event_wait */
	struct list to_load;
	uint64_t heard_ms; /* time of the last hint of a listener */
	uint64_t told_ms;  /* time of this worker's last hint; 0: none */
	bool is_heard;	   /* this worker has received its own hint, as the others have */
	bool was_late; /* streams have begun before that, and others may have told them nothing */
	bool has_devices;
	bool owes_loss; /* other workers must be notified that an event could not be sent */
};

struct listeners {
	struct loop *loop;
	struct db *db;
	/* Called when an event was added to the ring, or events were lost. */
	void (*on_event)(void *context, struct listener *listener);
	/* Called when the account's devices were loaded. */
	void (*on_devices)(void *context, struct listener *listener);
	/* Called when no devices are being loaded any more. */
	void (*on_ready)(void *context);
	/* Called when the account itself may have been removed. */
	void (*on_account)(void *context, struct id account_id);
	void *context;
	struct map accounts; /* of struct listener */
	struct map devices;  /* of struct listener_device */
	size_t bytes;	     /* of all rings */
	struct list to_load; /* of struct listener */
	struct later load;
	bool is_loading;
	bool has_ended;
	struct id loaded_id; /* account of the query under way */
	struct arena arena;
	struct db_query query;
	struct event_devices_row row;
	struct deadline tick;
	struct hint_subscription listens; /* "listen" */
	struct hint_subscription changes; /* "changed" */
};

/* Set loop, db, the functions and context before. */
void listeners_init(struct listeners *listeners);
/* Loads nothing more, and ends all waits. */
void listeners_drain(struct listeners *listeners);
void listeners_finish(struct listeners *listeners);

/* Returns NULL if the account has no known listener. */
struct listener *listeners_find(const struct listeners *listeners, struct id account_id);
/* Finds the listener by one of the account's devices. */
struct listener *listeners_of_device(const struct listeners *listeners, struct id device_id);
/* Writes the IDs of the account's devices, device_count, in no order. */
void listeners_copy_devices(const struct listener *listener, struct id *ids);
/* Whether no devices are being loaded. */
bool listeners_are_ready(const struct listeners *listeners);

/* See events_listen(). */
bool listeners_listen(struct listeners *listeners, struct id account_id, struct event_wait *wait);
/* Call it when a stream of the account opens. Returns NULL if there is no room for the account. */
struct listener *listeners_join(struct listeners *listeners, struct id account_id);
/* Call it when such a stream ends. */
void listeners_leave(struct listeners *listeners, struct listener *listener);

/* Takes an event: keeps it, and notifies the streams. name: static. */
void listeners_append(struct listeners *listeners, struct listener *listener,
		      const uint8_t id[static EVENT_ID_BYTES], const char *name,
		      struct id device_id, struct str data);
/* Empties the account's ring, because events are missing. */
void listeners_lose(struct listeners *listeners, struct listener *listener);
void listeners_lose_all(struct listeners *listeners);

/* Sends a hint about an event of an account with listeners. */
void listeners_tell(struct listeners *listeners, struct listener *listener,
		    const struct event_hint *hint);
/* Sends a hint that events of an account were lost: its clients must read everything again. */
void listeners_tell_loss(struct listeners *listeners, struct listener *listener);
