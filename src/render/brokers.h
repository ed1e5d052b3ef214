/* Connections to brokers that a worker holds, or has held. */
#pragma once

#include "base/list.h"
#include "base/map.h"
#include "bridge_words.h"
#include "http/listener.h"
#include "task/access.h"

/* Connection of an account. Lives as long as the worker, since requests refer to its listener and
 * its peer. */
struct broker {
	struct list node;
	struct map_node by_account; /* key: peer.account_id */
	struct bridge_peer peer;    /* is_open: the worker has the connection */
	struct http_listener_settings listener;
	int64_t revision;
	unsigned lacks; /* of enum reach_lack, as when it was opened */
	unsigned misses;
	uint64_t end_ms; /* end of the API key that has set it up, as a time of the loop; 0: none */
	bool is_connected;
	bool has_news; /* error must be written */
	char error[BRIDGE_ERROR_BYTES];
};

struct brokers {
	struct list all;
	struct map by_account;
};

/* Free with brokers_free(). */
void brokers_init(struct brokers *brokers);
/* Returns NULL if the worker has never had a connection of the account. */
struct broker *brokers_find(const struct brokers *brokers, struct id account);
/* Adds a connection that is not open. listener is copied. */
struct broker *brokers_add(struct brokers *brokers, struct id account,
			   const struct http_listener_settings *listener);
/* Returns the earliest end of a key of those that are open; 0: none. */
uint64_t brokers_next_end_ms(const struct brokers *brokers);
/* Notes that the connection is not open any more. */
void brokers_forget(struct broker *broker);
unsigned brokers_count_open(const struct brokers *brokers);
/* Sets the metrics. */
void brokers_tell(const struct brokers *brokers);
void brokers_free(struct brokers *brokers);
