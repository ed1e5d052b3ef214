/* Decodes GIF87a and GIF89a; giflib decodes the pixels. */
#pragma once

#include "canvas.h"
#include "gif_walk.h"

/* Composes the frames one by one and passes them to a sink, with their delays: 10 ms or less
 * becomes 100 ms. Every frame must lie inside the canvas.
 *
 * Disposal is as in Pillow: 0 and 1 keep the frame, 2 clears its rectangle to transparent, all
 * others restore the canvas before it. */
struct gif_decoder;

/* Opens a GIF. data must stay valid until the end; the outline must be that of the same bytes. The
 * caller closes the decoder. Returns NULL with *reterr set if there is no memory. */
struct gif_decoder *pi_gif_open(const uint8_t *data, size_t size, const struct gif_outline *outline,
				struct panelimage_error *reterr);

/* Whether there is another frame. */
bool pi_gif_has_more(const struct gif_decoder *decoder);

/* Passes the next frame to the sink; there must be one. Returns 0, or -1 with *reterr set: then the
 * decoder can only be closed. */
int pi_gif_next(struct gif_decoder *decoder, struct frame_sink *sink,
		struct panelimage_error *reterr);

/* decoder may be NULL. */
void pi_gif_close(struct gif_decoder *decoder);
