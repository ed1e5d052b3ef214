/* Writes a picture of the panel, 3 bytes a pixel, as a still PNG. */
#pragma once

#include "panelimage/panelimage.h"

/* Returns 0, or -1 with *reterr set; *ret_data is malloc'ed. */
int pi_png_write(const uint8_t *rgb, struct panelimage_size panel, unsigned scale, bool has_leds,
		 uint8_t **ret_data, size_t *ret_size, struct panelimage_error *reterr);
