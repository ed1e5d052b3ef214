/* Encodes one picture as lossless WebP, with libwebp. */
#pragma once

#include "buffer.h"
#include "canvas.h"

struct vp8l_effort {
	int method;  /* of libwebp, 0 to 6 */
	int quality; /* 0 to 100; for lossless it is effort too */
};

/* A rectangle of pixels 0xAARRGGBB, with a stride between rows. */
struct vp8l_picture {
	uint32_t *argb; /* not changed; not const because of libwebp's struct */
	int width, height, stride;
};

/* Writes a whole WebP file (RIFF, VP8L) to the buffer, replacing what was in it. Returns 0, or -1:
 * then the file was too large if the buffer's full is set, else there was no memory. */
int pi_vp8l_encode(const struct vp8l_picture *picture, struct vp8l_effort effort,
		   struct buffer *ret);
