/* GIF87a and GIF89a, by giflib for the pixels. */
#pragma once

#include "canvas.h"
#include "gif_walk.h"

/* Composes the frames one by one and hands them to a sink, with their delays: 10 ms or less becomes
 * 100 ms. Every frame must lie inside the canvas.
 *
 * Disposal as Pillow has it: 0 and 1 leave the frame, 2 clears its rectangle to transparent, all
 * others bring back what was there before it. */
struct gif_decoder;

/* data stays where it is until the end; the outline is that of the same bytes. The caller closes
 * what it gets; NULL with *reterr set if no memory is left. */
struct gif_decoder *pi_gif_open(const uint8_t *data, size_t size, const struct gif_outline *outline,
				struct panelimage_error *reterr);

/* Whether there is a frame that was not handed out yet. */
bool pi_gif_has_more(const struct gif_decoder *decoder);

/* Hands the next frame to the sink; only while there are more. Returns 0, or -1 with *reterr set:
 * then the decoder can only be closed. */
int pi_gif_next(struct gif_decoder *decoder, struct frame_sink *sink,
		struct panelimage_error *reterr);

/* NULL is allowed. */
void pi_gif_close(struct gif_decoder *decoder);
