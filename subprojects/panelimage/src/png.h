/* Decodes PNG, second edition (ISO/IEC 15948), with libspng. */
#pragma once

#include "canvas.h"

/* Decodes the still image over black to the canvas, whose size it must have. All colour types,
 * depths, interlacing and tRNS of the standard are supported; of 16-bit samples the high byte
 * counts. All other ancillary chunks are skipped. A file without IEND is refused, bytes after it
 * are ignored. */
int pi_png_decode(const uint8_t *data, size_t size, struct canvas *canvas,
		  struct panelimage_error *reterr);
