/* Prepares OpenSSL, which libcurl and libmosquitto use, for budgets (sandboxed/budget.h). */
#pragma once

#include <stdbool.h>

/* Makes a connection within the process, without a budget. What OpenSSL allocates once for all, it
 * never tries again if that fails: for want of one account's memory all others would have no TLS.
 * Returns false if there is no memory. */
bool tls_once(void) __attribute__((warn_unused_result));

/* Ciphers that are offered in TLS 1.2: OpenSSL's, without those whose group the server makes up.
 * With numbers of 10,000 bits, such a handshake takes this process half a second. */
#define TLS_CIPHERS "DEFAULT:!kDHE"
