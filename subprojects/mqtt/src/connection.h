/* The connection of one account: its session with the broker, and its client of the API. A loop
 * serves it (loop.h); its lines for the worker wait in the connection.
 *
 *   serving --connection_stop()--> forgetting, if its topics are removed --> leaving --> over */
#pragma once

#include "account.h"

/* Makes a connection, which is given to a loop next. Takes ownership of opened, the worker's
 * message "open"; allowed must stay valid. Returns NULL, with the reason as a static text, if the
 * message cannot be used, or if there is no memory. */
struct connection *connection_create(yyjson_doc *opened, const struct network_list *allowed,
				     const char *certificates, int bell, const char **ret_why);
/* Asks the loop to end it soon; then connection_take() returns true. must_forget: the account has
 * removed its connection, so its topics are removed, too. */
void connection_stop(struct connection *connection, bool must_forget);
/* Takes ownership of the socket. */
void connection_add_socket(struct connection *connection, int socket);
/* Moves the lines for the worker to told, which must be empty. Returns true if the connection is
 * over: then call connection_destroy(). */
bool connection_take(struct connection *connection, struct bytes *told);
void connection_destroy(struct connection *connection);

/* ---- for its loop ---- */

/* Does what there is to do, and sets due_ms. Returns false at the end: then connection_end() is
 * called next. */
bool connection_turn(struct connection *connection) __attribute__((warn_unused_result));
/* Says that it is over: it belongs to the bridge's thread from now on. */
void connection_end(struct connection *connection);
