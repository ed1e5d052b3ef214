/* The panels of an account: their state in the API, and what is published of it. */
#pragma once

#include "account.h"

/* Returns the device, or NULL if the account has none with this ID, as far as known. */
struct device *panels_find(const struct connection *connection, const char *id);
/* Marks that the list is requested now: devices that later events name may be missing in it. */
void panels_begin_list(struct connection *connection);
/* Handles an event of the API: on_event of struct event_reader. */
void panels_take_event(void *context, const char *name, const char *data, size_t length);
/* Notes the topic of a retained message of an earlier session: its device or entry is removed from
 * the broker if the next list or rotation does not have it. on_retained of struct session. */
void panels_take_retained(void *context, const char *text);
/* Handles the answer to the call that is done; its status is a success, except perhaps for a
 * picture. */
void panels_take_answer(struct connection *connection);
/* Removes the panel of the call that is done, since it is gone. */
void panels_forget_called(struct connection *connection);
/* Publishes what has changed, as far as the broker takes it. */
void panels_publish(struct connection *connection);
/* Forgets all panels, and leaves the broker as it is. */
void panels_drop(struct connection *connection);
/* Lets panels_publish() remove all panels from the broker, since the account has removed its
 * connection. */
void panels_forget(struct connection *connection);
