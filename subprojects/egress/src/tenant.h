/* The connections of one account, and its memory: what libcurl and OpenSSL allocate for what
 * servers send counts for the account (sandboxed/budget.h), and so do the answers until all clients
 * have them. Connections are not shared between accounts.
 *
 * An account may use TENANT_TRANSFER_BYTES for each of its transfers: so those of the others have
 * as much as they need, whatever one does. A transfer that finds no memory fails. */
#pragma once

#include "cache.h"

#include <curl/curl.h>
#include <poll.h>
#include <sandboxed/budget.h>

enum {
	TENANT_TRANSFER_BYTES = 3 << 20, /* an answer, and what it takes to get it */
	TENANT_TURN_BYTES = 256 << 10,	 /* that its connections read before others' do */
	TENANT_IDLE_BYTES = 512 << 10,	 /* for open connections */
	TENANT_IDLE_MS = 60 * 1000,	 /* then they are closed */
	TENANT_CONNECTIONS_MAX = 4,	 /* that stay open without a transfer */
	TENANTS_IDLE_MAX = 16,
};

struct tenant {
	struct key account;
	CURLM *multi;
	struct budget *budget;
	unsigned transfers; /* those whose answer is not sent yet, too */
	bool has_run_out;   /* an allocation has failed since it was idle */
	int64_t idle_ms;    /* time of its last transfer's end */
	struct tenant *next;
};

/* Finds or makes that of the account, and counts a transfer. Returns NULL if there is no memory. */
struct tenant *tenants_take(struct tenant **tenants, const struct key *account)
    __attribute__((warn_unused_result));
/* A transfer has ended, and all that it has allocated is freed. */
void tenant_leave(struct tenant *tenant, int64_t now_ms);
/* Destroys those that have had nothing to do for long, and those that are too many. */
void tenants_sweep(struct tenant **tenants, int64_t now_ms);
void tenants_destroy(struct tenant **tenants);

/* Adds the sockets that transfers wait for. Returns their number, at most room. */
unsigned tenants_list(const struct tenant *tenants, struct pollfd *fds, unsigned room);
/* Returns the time after which a transfer goes on without its sockets, at most most_ms. */
int tenants_wait_ms(const struct tenant *tenants, int most_ms);

/* Continues the transfers of the account. */
void tenant_run(struct tenant *tenant);
/* Returns the next transfer that has ended, or NULL. */
CURL *tenant_next(struct tenant *tenant, CURLcode *ret_code);
/* Whether one of its allocations has failed since it was idle. */
bool tenant_ran_out(struct tenant *tenant);
