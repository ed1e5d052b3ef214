/* Operator's token to read metrics through a public listener. Only its SHA-256 is kept. */
#pragma once

#include "main/reason.h"

#include <stdint.h>

enum { METRICS_TOKEN_HASH_BYTES = 32, METRICS_TOKEN_MIN = 32, METRICS_TOKEN_MAX = 512 };

/* Reads --metrics-token-file. Returns 0, or -1 with the reason. */
__attribute__((warn_unused_result)) int
metrics_token_load(const char *file, uint8_t ret_hash[static METRICS_TOKEN_HASH_BYTES],
		   struct reason *reterr);
