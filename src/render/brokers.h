/* Connections to brokers that a worker holds, or has held. */
#pragma once

#include "base/list.h"
#include "bridge_words.h"
#include "http/listener.h"
#include "task/access.h"

/* Kept as long as the worker: requests point to its listener and its peer. One an account. */
struct broker {
	struct list node;
	struct bridge_peer peer; /* is_open: it is held */
	struct http_listener_settings listener;
	int64_t revision;
	bool reaches_local; /* as it was opened */
	unsigned misses;
	bool is_connected;
	bool has_news; /* error is to be written */
	char error[BRIDGE_ERROR_BYTES];
};

/* NULL: the worker has never held a connection of the account. */
struct broker *brokers_find(const struct list *brokers, struct id account);
/* Adds one that is not open. listener is copied. */
struct broker *brokers_add(struct list *brokers, struct id account,
			   const struct http_listener_settings *listener);
/* Notes that it is not open any more. */
void brokers_forget(struct broker *broker);
unsigned brokers_count_open(const struct list *brokers);
/* Sets the metrics. */
void brokers_tell(const struct list *brokers);
void brokers_free(struct list *brokers);
