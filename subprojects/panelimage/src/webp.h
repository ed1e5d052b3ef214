/* WebP, still and animated, by libwebp. */
#pragma once

#include "canvas.h"
#include "cpu_limit.h"
#include "webp_walk.h"

/* Decodes all frames to their end and hands them to the sink, over black. The outline is that of
 * the same bytes.
 *
 * limit: where to give up, for all calls on the same file together.
 *
 * *ret_fit: whether a panel shows the very same without our doing. The firmware composes the
 * frames with WebPAnimDecoder, as is done here, and takes red, green and blue of the canvas as
 * they are: the file is fit if over black changes none of them. Alpha by itself does no harm:
 * transparent black is black. */
int pi_webp_decode(const uint8_t *data, const struct webp_outline *outline, struct frame_sink *sink,
		   struct cpu_limit *limit, bool *ret_fit, struct panelimage_error *reterr);
