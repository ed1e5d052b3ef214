/* A request that is answered once for all who wait for the same answer. It is its account's, whose
 * shares it uses. */
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
	bool has_started, has_landed;
	int64_t since_ms;   /* it waits for its turn, or has landed */
	struct reply reply; /* when it has landed */
	struct waiter *waiters;
	struct flight *next;
};

void flight_add_waiter(struct flight *flight, struct client *client, const struct request *request);
/* The client is not told. */
void flight_drop_waiter(struct waiter **at);

bool flight_is_of(const struct flight *flight, const struct key *account);
/* Whether somebody who waits for it can be given an answer. */
bool flight_is_wanted(const struct flight *flight);

/* Moves those who wait of other accounts to a flight of their own, which takes the request and is
 * the account's of one of them. NULL: there are none. */
struct flight *flight_take_others(struct flight *flight, int64_t now_ms);
