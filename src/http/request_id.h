/* IDs of requests whose clients send none: unique, not secret. */
#pragma once

#include <stdint.h>

enum { REQUEST_ID_LENGTH = 32 };

struct request_ids {
	uint64_t prefix; /* random, this worker's */
	uint64_t count;
};

void request_ids_init(struct request_ids *ids);

/* A new one and a NUL. */
void request_ids_next(struct request_ids *ids, char ret_text[static REQUEST_ID_LENGTH + 1]);
