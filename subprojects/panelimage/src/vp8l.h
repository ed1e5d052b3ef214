/* Encodes one picture as lossless WebP, with libwebp. */
#pragma once

#include "buffer.h"
#include "canvas.h"

struct vp8l_effort {
	int method;  /* of libwebp, 0 to 6 */
	int quality; /* 0 to 100; for lossless it is effort too */
};

/* The pixels of the rectangle, 0xAARRGGBB, in rows of a stride. */
struct vp8l_picture {
	uint32_t *argb; /* not changed, libwebp's struct wants it so */
	int width, height, stride;
};

/* Writes a whole WebP file (RIFF, VP8L) to the buffer, replacing what was in it. Returns 0, or
 * -1: then the buffer's full says that it was too large for it, else memory ran out. */
int pi_vp8l_encode(const struct vp8l_picture *picture, struct vp8l_effort effort,
		   struct buffer *ret);
