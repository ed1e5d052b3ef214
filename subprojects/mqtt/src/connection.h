/* The connection of one account: its session with the broker, and its client of the API, in a
 * thread of its own. The thread's lines for the worker wait in the connection. */
#pragma once

#include "account.h"

/* Starts the connection. Takes ownership of opened, the worker's message "open"; allowed must stay
 * valid. Returns NULL, with the reason as a static text, if the message cannot be used, or if
 * there is no memory or thread. */
struct connection *connection_start(yyjson_doc *opened, const struct network_list *allowed,
				    const char *certificates, int bell, const char **ret_why);
/* Asks the thread to end soon; then is_over is set. must_forget: the account has removed its
 * connection, so its topics are removed, too. */
void connection_stop(struct connection *connection, bool must_forget);
/* Takes ownership of the socket. */
void connection_add_socket(struct connection *connection, int socket);
/* Moves the lines for the worker to told, which must be empty. Returns true if the thread has
 * ended: then connection_destroy() does not wait. */
bool connection_take(struct connection *connection, struct bytes *told);
void connection_destroy(struct connection *connection);
