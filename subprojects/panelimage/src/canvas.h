/* The picture that all decoders draw and the encoder reads: opaque pixels of the panel's size.
 */
#pragma once

#include "panelimage/panelimage.h"

/* Pixels are 0xffRRGGBB, rows from the top, as argb of WebPPicture. Where nothing is drawn they are
 * black. */
struct canvas {
	struct panelimage_size size;
	uint32_t *argb;
};

#define CANVAS_BLACK UINT32_C(0xff000000)

/* Returns the display time of a frame: 10 ms or less count as 100 ms, as in browsers. */
static inline uint32_t pi_shown_ms(uint32_t duration_ms)
{
	return duration_ms <= 10 ? 100 : duration_ms;
}

/* Receiver of frames: the first member of its owner. */
struct frame_sink {
	/* The canvas is valid during the call only. Returns 0, or -1 with *reterr set, whereupon
	 * the decoder stops and returns -1, too. */
	int (*on_frame)(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
			struct panelimage_error *reterr);
};

/* A sample of that alpha over black, rounded to the nearest; there are no ties, 255 being odd.
 * Pillow's alpha_composite() gives the same for all 65,536 pairs. */
static inline uint32_t over_black(uint32_t sample, uint32_t alpha)
{
	return (sample * alpha + 127) / 255;
}

static inline uint32_t argb_over_black(const uint8_t *rgba)
{
	return CANVAS_BLACK | over_black(rgba[0], rgba[3]) << 16 |
	       over_black(rgba[1], rgba[3]) << 8 | over_black(rgba[2], rgba[3]);
}

/* Every decoder's first check: whether the image is of the panel's size. Returns 0, or -1 with
 * *reterr set. */
int pi_canvas_check_size(uint32_t width, uint32_t height, struct panelimage_size panel,
			 struct panelimage_error *reterr);

/* Allocates the pixels, uninitialized. Returns 0, or -1 with *reterr set. The canvas may be
 * finished in both cases, and if it is zeroed. */
int pi_canvas_init(struct canvas *canvas, struct panelimage_size size,
		   struct panelimage_error *reterr);
void pi_canvas_finish(struct canvas *canvas);

static inline size_t pi_canvas_pixels(const struct canvas *canvas)
{
	return (size_t)canvas->size.width * canvas->size.height;
}

void pi_canvas_clear(struct canvas *canvas);
/* Copies the pixels; both canvases must have the same size. */
void pi_canvas_copy(struct canvas *to, const struct canvas *from);
