/* Counts the connections of a process by client address, and limits each address to a share.
 *
 * An address may hold three times as many connections as are free: a single one three quarters of
 * all, each of n greedy addresses 3/(3n+1). So there is always room for one more connection, and a
 * fleet of panels behind one address is accepted.
 *
 * A process has one loop, and so one memory budget. */
#pragma once

#include "http/unsent.h"

#include <text/address.h>

struct address_share;

/* Adds a connection while so many are free, itself included. Returns NULL if this address has its
 * share. An IPv6 address counts by its network of 64 bits (address_cut_to_subscriber()). */
__attribute__((warn_unused_result)) struct address_share *
address_share_join(const struct address *address, unsigned free_connections);

/* Returns the unsent output of the share's connections; NULL for NULL. */
struct http_unsent_share *address_share_unsent(struct address_share *share);

/* Removes a connection from the share. NULL is allowed. */
void address_share_leave(struct address_share *share);
