/* WebP files for the panel's unit tests, made by libwebp. */
#pragma once

#include "picture.h"

/* Makes a WebP with one frame per colour (0xRRGGBB), each shown for duration_ms; one colour gives a
 * still picture. Memory of malloc. */
uint8_t *webp_make(const uint32_t *colours, int count, int duration_ms, int width, int height,
		   size_t *ret_size);
