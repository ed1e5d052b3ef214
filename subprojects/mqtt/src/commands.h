/* Commands of an account's broker, and what becomes of them. */
#pragma once

#include "account.h"

/* Takes a message: a function of struct session. */
void commands_take(void *context, const char *topic, const char *payload, size_t length);
/* The call of the first request is done: says on the broker what was wrong, and ends it. */
void commands_done(struct connection *connection);
/* Drops the first request. */
void commands_end_first(struct connection *connection);
