/* A WebP as a panel decodes it: frame by frame, alpha ignored, looping forever. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PANEL_WIDTH = 64,
	PANEL_HEIGHT = 32,
	/* Limit of panels; a larger picture is dropped. */
	PICTURE_BYTES_MAX = 460 * 1000,
	/* Duration of a frame without one: the firmware yields ten ticks. */
	PICTURE_FRAME_DEFAULT_MS = 100,
};

struct pixels {
	uint8_t rgb[PANEL_HEIGHT][PANEL_WIDTH][3];
};

struct picture;

/* Opens a WebP of 64x32 pixels. Copies data. Returns NULL with a static text in ret_fault if it is
 * none; memory use does not depend on the sizes that the data claims. */
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
