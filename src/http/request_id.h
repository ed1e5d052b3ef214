/* IDs of requests whose clients send none: unique, not secret. */
#pragma once

#include <stdint.h>

enum { REQUEST_ID_LENGTH = 32 };

struct request_ids {
	uint64_t prefix; /* random, one for the worker */
	uint64_t count;
};

void request_ids_init(struct request_ids *ids);

/* Makes a new ID, followed by a NUL. */
void request_ids_next(struct request_ids *ids, char ret_text[static REQUEST_ID_LENGTH + 1]);
