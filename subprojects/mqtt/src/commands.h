/* Commands from an account's broker, and their results. */
#pragma once

#include "account.h"

/* Handles a message: on_message of struct session. */
void commands_take(void *context, const char *topic, const char *payload, size_t length);
/* Ends the first request, whose call is done, and publishes its error, if any, on the broker. */
void commands_done(struct connection *connection);
/* Drops the first request. */
void commands_end_first(struct connection *connection);
