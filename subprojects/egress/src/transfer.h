/* Sends one request, by libcurl: the address of each connection is checked when it is opened, and
 * the answer is bounded. All that it allocates counts for its tenant. Each request that it makes,
 * those of redirects and retries included, is taken from the account's shares, as are the bytes
 * sent and received. */
#pragma once

#include "transfer_state.h"

/* Starts the transfer beside the tenant's others; the share of the host's name was taken before.
 * request, tools and tenant must outlive it. Returns false if there is no memory. */
bool transfer_start(struct transfer *transfer, const struct transfer_tools *tools,
		    struct tenant *tenant, const struct request *request)
    __attribute__((warn_unused_result));

/* Ends the transfer and makes a reply of the result, which counts for the tenant, too;
 * *ret_lifetime_s: how long it may be cached, in seconds. */
void transfer_end(struct transfer *transfer, CURLcode code, struct reply *ret_reply,
		  int64_t *ret_lifetime_s);

void transfer_finish(struct transfer *transfer);
