/* Watches the socket of a connection to the database. */
#pragma once

#include <uv.h>

struct poller;

/* Watches the socket for these events; makes *poller if it is NULL. ready is called from the loop.
 * If uv reports an error it has stopped watching, and libpq finds the error when it uses the
 * socket. Returns 0 or a negative errno. */
__attribute__((warn_unused_result)) int poller_watch(struct poller **poller, uv_loop_t *loop,
						     int socket, int events,
						     void (*ready)(void *context), void *context);

/* Stops watching, and sets *poller to NULL. */
void poller_drop(struct poller **poller);
