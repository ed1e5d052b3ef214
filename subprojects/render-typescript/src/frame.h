/* Frames of the link, in both directions: two lengths of four bytes, highest byte first, then a
 * JSON object of the first length (the head) and bytes of the second length (the blob). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	FRAME_HEAD_MAX = 1 << 20,
	FRAME_BLOB_MAX = 8 << 20,
	FRAME_LENGTHS = 8,
};

struct frame {
	char *head; /* each has a NUL behind its end */
	size_t head_length;
	char *blob;
	size_t blob_length;
};

/* Waits for a frame. 1; 0 at the end, between two frames; or a negative errno: -EINTR when a signal
 * came before the frame. */
int frame_read(int link, struct frame *ret_frame) __attribute__((warn_unused_result));
void frame_finish(struct frame *frame);

/* The eight bytes before a head and a blob. */
void frame_put_lengths(unsigned char to[static FRAME_LENGTHS], size_t head, size_t blob);
/* 0 or a negative errno. May be called in a handler of signals. */
int frame_write(int link, const char *head, size_t head_length, const char *blob,
		size_t blob_length) __attribute__((warn_unused_result));
