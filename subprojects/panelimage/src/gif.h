/* GIF87a and GIF89a, by giflib for the pixels. */
#pragma once

#include "canvas.h"
#include "gif_walk.h"

/* Composes all frames and hands them to the sink, with their delays: 10 ms or less becomes
 * 100 ms. The outline is that of the same bytes. Every frame must lie inside the canvas.
 *
 * Disposal as Pillow has it: 0 and 1 leave the frame, 2 clears its rectangle to transparent, all
 * others bring back what was there before it. */
int pi_gif_decode(const uint8_t *data, size_t size, const struct gif_outline *outline,
		  struct frame_sink *sink, struct panelimage_error *reterr);
