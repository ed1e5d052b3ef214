/* Decodes WebP, still and animated, with libwebp. */
#pragma once

#include "canvas.h"
#include "webp_walk.h"

/* Decodes the frames one by one and passes them to a sink, over black.
 *
 * A frame takes 20 to 60 us in normal files. A frame of 3 KB can make libwebp build a thousand
 * Huffman tables, which takes 10 ms, and sixty such frames fit into a file: 0.7 s, limited only by
 * the file's size. No clock is read: whether a file is accepted must not depend on the machine or
 * its load. */
struct webp_decoder;

/* Opens a WebP. data must stay valid until the end; the outline must be that of the same bytes. The
 * caller closes the decoder. Returns NULL with *reterr set on failure. */
struct webp_decoder *pi_webp_open(const uint8_t *data, const struct webp_outline *outline,
				  struct panelimage_error *reterr);

/* Whether there is another frame. */
bool pi_webp_has_more(const struct webp_decoder *decoder);

/* Passes the next frame to the sink; there must be one. Returns 0, or -1 with *reterr set: then the
 * decoder can only be closed. */
int pi_webp_next(struct webp_decoder *decoder, struct frame_sink *sink,
		 struct panelimage_error *reterr);

/* Whether a panel shows the decoded frames correctly without a conversion. The firmware composes
 * the frames with WebPAnimDecoder, as is done here, and takes red, green and blue of the canvas as
 * they are: the file is fit if composing over black changes none of them. Alpha alone does no harm:
 * transparent black is black. */
bool pi_webp_is_fit(const struct webp_decoder *decoder);

/* decoder may be NULL. */
void pi_webp_close(struct webp_decoder *decoder);
