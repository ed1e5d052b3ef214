/* PNG, second edition (ISO/IEC 15948), by libspng. */
#pragma once

#include "canvas.h"

/* Decodes the still image onto black, to the canvas, whose size it must have. Colour type, depth,
 * interlace and tRNS as the standard has them; 16-bit samples give their high byte. All other
 * ancillary chunks are passed over unread. A file without its IEND is refused, bytes after it do
 * not matter. */
int pi_png_decode(const uint8_t *data, size_t size, struct canvas *canvas,
		  struct panelimage_error *reterr);
