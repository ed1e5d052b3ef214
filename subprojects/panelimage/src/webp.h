/* WebP, still and animated, by libwebp. */
#pragma once

#include "canvas.h"
#include "webp_walk.h"

/* Decodes the frames one by one and hands them to a sink, over black.
 *
 * A frame takes 20 to 60 us in honest files. One of 3 KB may ask libwebp to build a thousand
 * Huffman tables, which takes 10 ms, and sixty such frames fit into a file: 0.7 s, which is
 * bounded by the file's bytes alone. No clock is asked: whether a file is taken must not depend on
 * the machine or on what else it does. */
struct webp_decoder;

/* data stays where it is until the end; the outline is that of the same bytes. The caller closes
 * what it gets; NULL with *reterr set. */
struct webp_decoder *pi_webp_open(const uint8_t *data, const struct webp_outline *outline,
				  struct panelimage_error *reterr);

/* Whether there is a frame that was not handed out yet. */
bool pi_webp_has_more(const struct webp_decoder *decoder);

/* Hands the next frame to the sink; only while there are more. Returns 0, or -1 with *reterr set:
 * then the decoder can only be closed. */
int pi_webp_next(struct webp_decoder *decoder, struct frame_sink *sink,
		 struct panelimage_error *reterr);

/* Whether a panel shows the very same without our doing, as far as the frames were decoded. The
 * firmware composes the frames with WebPAnimDecoder, as is done here, and takes red, green and
 * blue of the canvas as they are: the file is fit if over black changes none of them. Alpha by
 * itself does no harm: transparent black is black. */
bool pi_webp_is_fit(const struct webp_decoder *decoder);

/* NULL is allowed. */
void pi_webp_close(struct webp_decoder *decoder);
