/* A request that is sent once for all clients that wait for the same answer. It belongs to one
 * account, whose shares it uses. */
#pragma once

#include "client.h"
#include "transfer.h"

struct waiter {
	struct client *client;
	struct key account;
	int64_t id;
	struct waiter *next;
};

struct flight {
	struct request request;
	struct transfer transfer;
	struct tenant *tenant; /* set when it has started */
	bool has_started, has_landed;
	int64_t since_ms;   /* start of its wait for its turn, or of its finished state */
	struct reply reply; /* set when the flight has finished */
	struct waiter *waiters;
	struct flight *next;
};

/* Returns false if there is no memory. */
bool flight_add_waiter(struct flight *flight, struct client *client, const struct request *request)
    __attribute__((warn_unused_result));
/* Removes the waiter without answering its client. */
void flight_drop_waiter(struct waiter **at);

bool flight_is_of(const struct flight *flight, const struct key *account);
/* Whether a client that waits for it can get an answer. */
bool flight_is_wanted(const struct flight *flight);

/* Moves the waiters of other accounts to a new flight, which takes the request and belongs to the
 * account of one of them. Returns the new flight, or NULL if there are no such waiters or there is
 * no memory. */
struct flight *flight_take_others(struct flight *flight, int64_t now_ms);

/* ---- lists of flights ---- */

/* Returns the flight with the key, or NULL. */
struct flight *flights_find(struct flight *flights, const struct key *key);
/* Counts the transfers of the account, and those among them of the scope. */
unsigned flights_transfers(const struct flight *flights, const struct key *account,
			   const struct key *scope, unsigned *ret_scope);
/* Returns why no further file may be fetched; NULL: it may. */
const char *flights_refuse_download(const struct flight *flights, const struct request *request);
