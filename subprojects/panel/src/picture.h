/* A WebP as a panel decodes it: frame by frame, alpha ignored, looping forever. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Size of small panels; wide ones have twice the width and height. */
	PANEL_WIDTH = 64,
	PANEL_HEIGHT = 32,
	PANEL_WIDTH_MAX = 2 * PANEL_WIDTH,
	PANEL_HEIGHT_MAX = 2 * PANEL_HEIGHT,
	/* Limit of panels; a larger picture is dropped. */
	PICTURE_BYTES_MAX = 460 * 1000,
	/* Duration of a frame without one: the firmware yields ten ticks. */
	PICTURE_FRAME_DEFAULT_MS = 100,
};

/* Pixels of a frame. Zeroed: those of a dark small panel. */
struct pixels {
	bool is_wide;
	uint8_t rgb[PANEL_HEIGHT_MAX * PANEL_WIDTH_MAX * 3]; /* rows from the top, without gaps */
};

static inline int pixels_width(const struct pixels *pixels)
{
	return pixels->is_wide ? PANEL_WIDTH_MAX : PANEL_WIDTH;
}

static inline int pixels_height(const struct pixels *pixels)
{
	return pixels->is_wide ? PANEL_HEIGHT_MAX : PANEL_HEIGHT;
}

/* Returns the bytes of rgb that are used. */
static inline size_t pixels_size(const struct pixels *pixels)
{
	return (size_t)pixels_width(pixels) * (size_t)pixels_height(pixels) * 3;
}

/* Returns red, green and blue of a pixel. */
static inline const uint8_t *pixels_at(const struct pixels *pixels, int row, int column)
{
	return pixels->rgb + (row * pixels_width(pixels) + column) * 3;
}

struct picture;

/* Opens a WebP of 64x32 or 128x64 pixels. Copies data. Returns NULL with a static text in ret_fault
 * if it is none; memory use does not depend on the sizes that the data claims. */
struct picture *picture_open(const uint8_t *data, size_t size, const char **ret_fault);

/* picture may be NULL. */
void picture_close(struct picture *picture);

uint32_t picture_frame_count(const struct picture *picture);

/* Returns false at the end of the loop. */
bool picture_has_more_frames(const struct picture *picture);

/* Goes back to the first frame. */
void picture_rewind(struct picture *picture);

/* Decodes the next frame. Returns false if its data is broken. */
bool picture_next_frame(struct picture *picture, struct pixels *ret_pixels,
			uint32_t *ret_duration_ms);
