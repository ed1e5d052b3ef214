/* The panels of an account: what the API says of them, and what the broker is told. */
#pragma once

#include "account.h"

/* NULL: the account has none with this ID, as far as is known. */
struct device *panels_find(const struct connection *connection, const char *id);
/* Takes an event of the API: a function of struct event_reader. */
void panels_take_event(void *context, const char *name, const char *data, size_t length);
/* Takes the topic of a message that an earlier session left: a device or an entry that is gone is
 * taken away when the next list, or what is known of the device, does not have it. A function of
 * struct session. */
void panels_take_retained(void *context, const char *text);
/* Takes the answer to the call that is done, which is a good one unless it is a picture's. */
void panels_take_answer(struct connection *connection);
/* The panel of the call that is done is gone. */
void panels_forget_called(struct connection *connection);
/* Publishes what has changed, as far as the broker takes it. */
void panels_publish(struct connection *connection);
/* The account has taken its connection away: the panels disappear from the broker. */
void panels_forget(struct connection *connection);
