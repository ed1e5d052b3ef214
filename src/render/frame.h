/* Frames on the link of a renderer: two lengths of four bytes, highest byte first, then a JSON
 * object of the first length (the head) and bytes of the second length (the blob). */
#pragma once

#include "base/buffer.h"

enum { FRAME_HEAD_MAX = 1 << 20, FRAME_BLOB_MAX = 8 << 20 };

enum frame_state { FRAME_IS_WHOLE, FRAME_NEEDS_MORE, FRAME_IS_WRONG };

struct frame {
	struct str head, blob; /* in the bytes that it was read from */
	size_t size;	       /* of the frame */
};

/* Looks for a frame at the start of the bytes. If it needs more, ret_frame->size is what it will
 * have, as far as that is known. */
enum frame_state frame_read(struct str bytes, struct frame *ret_frame);

/* False: a part is longer than allowed, and nothing is written. */
bool frame_append(struct buffer *to, struct str head, struct str blob)
    __attribute__((warn_unused_result));
