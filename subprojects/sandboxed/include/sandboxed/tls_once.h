/* Prepares OpenSSL, which libcurl and libmosquitto use, for budgets (sandboxed/budget.h). */
#pragma once

#include <stdbool.h>

/* Makes a connection within the process, without a budget. What OpenSSL allocates once for all, it
 * never tries again if that fails: for want of one account's memory all others would have no TLS.
 * Returns false if there is no memory. */
bool tls_once(void) __attribute__((warn_unused_result));
