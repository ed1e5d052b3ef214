/* The API calls for an account: commands, and reads of its panels' state. */
#pragma once

#include "account.h"

/* Continues the current call, or begins the next one. */
void calls_drive(struct connection *connection);
/* Drops the current call and all commands that wait. */
void calls_drop(struct connection *connection);
