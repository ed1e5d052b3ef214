/* The connection of one account: its session with the broker, and its client of the API, in a
 * thread of its own. What the thread says to the worker waits in its lines. */
#pragma once

#include "account.h"

/* Takes opened, the worker's word "open", and allowed stays. NULL: it says nothing that can be
 * done, with the reason, static. */
struct connection *connection_start(yyjson_doc *opened, const struct network_list *allowed,
				    const char *certificates, int bell, const char **ret_why);
/* Its thread ends soon: is_over. must_forget: the account wants no connection any more, so its
 * topics go. */
void connection_stop(struct connection *connection, bool must_forget);
/* Takes the socket. */
void connection_add_socket(struct connection *connection, int socket);
/* Takes what was told. True: the thread has ended, and connection_destroy() does not wait. */
bool connection_take(struct connection *connection, struct bytes *told);
void connection_destroy(struct connection *connection);
