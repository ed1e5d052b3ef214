/* Frames on the link of a sandboxed process, in both directions. render-starlark has its own
 * implementation in Go.
 *
 *   | length of the head | length of the blob | head          | blob |
 *     4 bytes, highest     likewise             a JSON object   any bytes
 *     byte first
 */
#pragma once

#include <stdint.h>
#include <text/str.h>

enum {
	FRAME_HEAD_MAX = 1 << 20,
	FRAME_BLOB_MAX = 8 << 20,
	FRAME_LENGTHS_BYTES = 8,
	/* Limits of the printed lines in the head of an answer. */
	LOG_LINES_MAX = 50,
	LOG_BYTES_MAX = 8 << 10, /* bytes, line feeds included */
};

enum frame_state { FRAME_IS_WHOLE, FRAME_NEEDS_MORE, FRAME_IS_WRONG };

struct frame {
	struct str head, blob; /* views into the bytes that were read */
	size_t size;	       /* size of the whole frame */
};

/* Reads a frame at the start of the bytes. If more bytes are needed, ret_frame->size is the frame's
 * size, as far as it is known. The frame is wrong if a part is longer than allowed. */
enum frame_state frame_find(struct str bytes, size_t head_max, size_t blob_max,
			    struct frame *ret_frame);
static inline enum frame_state frame_read(struct str bytes, struct frame *ret_frame)
{
	return frame_find(bytes, FRAME_HEAD_MAX, FRAME_BLOB_MAX, ret_frame);
}

/* Writes the lengths before a head and a blob. */
void frame_put_lengths(char ret_lengths[static FRAME_LENGTHS_BYTES], size_t head, size_t blob);

/* Waits for a frame on a socket. Returns 1 with a frame whose parts are NUL-terminated, which the
 * caller frees with frame_finish(); 0 at the end, between two frames; or a negative errno: -EINTR
 * if a signal came before the frame. */
int frame_receive(int link, struct frame *ret_frame) __attribute__((warn_unused_result));
void frame_finish(struct frame *frame);

/* Sends a frame; waits until it is sent. Returns 0 or a negative errno. May be called in a signal
 * handler. */
int frame_send(int link, struct str head, struct str blob) __attribute__((warn_unused_result));
