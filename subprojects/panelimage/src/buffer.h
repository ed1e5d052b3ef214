/* A growing run of bytes with an upper bound. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
	uint8_t *data; /* malloc */
	size_t size;
	size_t capacity;
	size_t max;	    /* appending beyond it fails with full set */
	bool full;	    /* an append would have gone beyond max */
	bool out_of_memory; /* an append found no memory */
};

/* Nothing is allocated yet. A wiped struct may be finished. */
void pi_buffer_init(struct buffer *buffer, size_t max);
void pi_buffer_finish(struct buffer *buffer);

/* Room for size bytes at the end, to be filled by the caller, valid until the next append; NULL
 * with full or out_of_memory set. */
uint8_t *pi_buffer_extend(struct buffer *buffer, size_t size);

bool pi_buffer_append(struct buffer *buffer, const uint8_t *data, size_t size);
