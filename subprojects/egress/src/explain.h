/* Says in a sentence why a transfer has failed: the owner of an app or a webhook reads it. The
 * sentence names what the other server did, as far as libcurl shows it. */
#pragma once

#include "transfer_state.h"

/* Writes the host of the current request, which is that of the last redirect. */
void explain_host(const struct transfer *transfer, char *to, size_t size);

/* Makes the reply the error message of a transfer that libcurl ended with the code. */
void explain(const struct transfer *transfer, CURLcode code, struct reply *ret_reply);
