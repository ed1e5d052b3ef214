/* A growing run of bytes with an upper bound. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
	uint8_t *data; /* malloc */
	size_t size;
	size_t capacity;
	size_t max;	    /* bytes; appending beyond it fails and sets full */
	bool full;	    /* an append would have gone beyond max */
	bool out_of_memory; /* an append found no memory */
};

/* Allocates nothing yet. A zeroed struct may be finished. */
void pi_buffer_init(struct buffer *buffer, size_t max);
void pi_buffer_finish(struct buffer *buffer);

/* Adds room for size bytes at the end, which the caller fills; the pointer is valid until the next
 * append. Returns NULL with full or out_of_memory set. */
uint8_t *pi_buffer_extend(struct buffer *buffer, size_t size);

bool pi_buffer_append(struct buffer *buffer, const uint8_t *data, size_t size);
