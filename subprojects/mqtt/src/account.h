/* The state of one account's connection. */
#pragma once

#include "api.h"
#include "device.h"
#include "order.h"
#include "publish.h"
#include "session.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	CONNECTION_ACCOUNT_BYTES = TOPIC_ID_BYTES,
	CONNECTION_TOLD_MAX = 64 << 10,
	CONNECTION_DEVICES_MAX = 1000,
	/* Bytes of all that is allocated for the account, by libraries, too: beyond them the
	 * session ends. More than its own ones are taken from spare ones (budget.h). Those of
	 * BRIDGE_CONNECTIONS_MAX and the stacks of threads fit into the process's limit, 512 MiB
	 * (main/program.c). */
	CONNECTION_BYTES_MAX = 20 << 20,
	CONNECTION_BYTES_OWN = 192 << 10,
	CONNECTION_BYTES_SPARE = 224 << 20,
	CONNECTION_DEVICES_BYTES = 12 << 20, /* with more in use, devices are left out */
	CONNECTION_ORDERS_MAX = 64,
	CONNECTION_ORDERS_BYTES = 4 << 20,
};

enum call {
	CALL_NONE,
	CALL_ORDER,
	CALL_LIST,
	CALL_ABOUT,
	CALL_ROTATION,
	CALL_FIRMWARE,
	CALL_PICTURE
};

enum connection_phase {
	CONNECTION_NEW,
	CONNECTION_SERVING,
	CONNECTION_FORGETTING,
	CONNECTION_LEAVING
};

struct connection {
	struct connection *next;		/* next in the bridge's list */
	char account[CONNECTION_ACCOUNT_BYTES]; /* the members up to bell do not change after the
						   start */
	struct session_settings settings;
	yyjson_doc *opened; /* texts of the settings lie in it */
	char base[TOPIC_MAX / 2], client[64], will[TOPIC_MAX / 2 + 16];
	const char *discovery;
	int bell; /* the bridge's eventfd: told has lines */

	pthread_mutex_t lock; /* guards the members up to is_over */
	int sockets[API_SOCKETS_MAX];
	unsigned socket_count;
	struct bytes told; /* lines for the worker */
	bool must_end, must_forget;
	bool is_over; /* its loop has it no more */

	int wake;	       /* the loop's eventfd */
	atomic_bool is_called; /* one of the members before has changed */

	/* The members below belong to the loop. */
	struct connection *next_served;
	bool is_ready;	/* something can be read or written */
	int64_t due_ms; /* latest time of its next turn */
	enum connection_phase phase;
	int64_t phase_until_ms;
	int watched;		 /* the session's socket as the loop knows it; -1: none */
	unsigned watched_number; /* and its number */
	bool watches_write;
	struct budget *budget; /* entered while the loop works for the account */
	struct session session;
	struct api api;
	struct publisher publisher;
	struct device *devices, *gone;
	unsigned device_count;
	struct order *orders, **orders_end;
	unsigned order_count;
	size_t order_bytes;
	enum call call;
	struct device *called; /* device of the current call; NULL: none, or it is gone meanwhile */
	bool needs_list, was_order, has_asked;
	int64_t list_ms, calls_from_ms, stream_from_ms, asked_ms, dropped_told_ms, counted_ms;
	unsigned stream_refusals; /* number of refusals in a row */
	uint64_t dropped, told_in, told_out, told_dropped;
};

/* Wakes the thread that waits for the eventfd. */
void account_ring(int bell);
/* Lets the loop take a turn of the connection; in any thread. */
void account_call(struct connection *connection);
/* Adds a line for the worker, unless too many wait. This and the functions below are called in the
 * connection's loop. */
__attribute__((format(printf, 2, 3))) void account_say(struct connection *connection,
						       const char *format, ...);
/* Reports to the worker that the session is up (why NULL), or why not: on_state of struct session.
 */
void account_say_state(void *context, const char *why);
/* Reports to the worker, every few seconds, the numbers of messages since the last report. */
void account_say_counts(struct connection *connection);
