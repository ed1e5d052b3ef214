/* The calls of the API for an account: commands, and what is to be known of its panels. */
#pragma once

#include "account.h"

/* Goes on with them. */
void calls_drive(struct connection *connection);
