/* SHA-1 (RFC 3174), for the WebSocket handshake only: it protects nothing. */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum { SHA1_BYTES = 20 };

/* The digest of the parts, one behind the other. */
void sha1(const struct str *parts, size_t count, uint8_t ret_digest[static SHA1_BYTES]);
