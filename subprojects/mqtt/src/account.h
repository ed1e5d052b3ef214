/* The state of one account's connection. */
#pragma once

#include "api.h"
#include "device.h"
#include "order.h"
#include "publish.h"
#include "session.h"

#include <pthread.h>

enum {
	CONNECTION_ACCOUNT_BYTES = TOPIC_ID_BYTES,
	CONNECTION_TOLD_MAX = 64 << 10,
	CONNECTION_DEVICES_MAX = 1000,
	CONNECTION_MEMORY_MAX =
	    8 << 20, /* of what is known of devices: further ones are left out */
	CONNECTION_ORDERS_MAX = 64,
	CONNECTION_ORDERS_BYTES = 4 << 20,
};

enum call { CALL_NONE, CALL_ORDER, CALL_LIST, CALL_ABOUT, CALL_ROTATION, CALL_PICTURE };

struct connection {
	struct connection *next;		/* the bridge's */
	char account[CONNECTION_ACCOUNT_BYTES]; /* from here to bell: set before the start */
	struct session_settings settings;
	yyjson_doc *opened; /* texts of the settings lie in it */
	char base[TOPIC_MAX / 2], client[64], will[TOPIC_MAX / 2 + 16];
	const char *discovery;
	int bell; /* of the bridge: something was told */

	pthread_t thread;
	pthread_mutex_t lock; /* for what follows, up to is_over */
	int sockets[API_SOCKETS_MAX];
	unsigned socket_count;
	struct bytes told; /* lines for the worker */
	bool must_end, must_forget;
	bool is_over; /* the thread ends at once */
	int wake;     /* of the thread: something of these has changed */

	/* The thread's own. */
	struct session session;
	struct api api;
	struct publisher publisher;
	struct device *devices, *gone;
	unsigned device_count;
	size_t memory; /* that devices take, about */
	struct order *orders, **orders_end;
	unsigned order_count;
	size_t order_bytes;
	enum call call;
	struct device *called; /* NULL, also if it is gone meanwhile */
	bool needs_list, was_order, has_asked;
	int64_t list_ms, calls_from_ms, stream_from_ms, asked_ms, dropped_told_ms, counted_ms;
	unsigned stream_refusals; /* in a row */
	uint64_t dropped, told_in, told_out, told_dropped;
};

/* Wakes who waits for the bell, an eventfd. */
void account_ring(int bell);
/* Adds a line for the worker, unless too many wait. In the connection's thread, as what follows. */
__attribute__((format(printf, 2, 3))) void account_say(struct connection *connection,
						       const char *format, ...);
/* Says to the worker that the session is up, or why not: a function of struct session. */
void account_say_state(void *context, const char *why);
/* Says to the worker how many messages were counted since the last time, every few seconds. */
void account_say_counts(struct connection *connection);
