/* Writes a picture of the panel, 3 bytes a pixel, as a still PNG, a row of the panel at a time. */
#pragma once

#include "panelimage/panelimage.h"

struct pi_png_writer;

/* Each pixel of the panel becomes a square of scale pixels, or a round LED. Returns NULL if there
 * is no memory. */
struct pi_png_writer *pi_png_writer_new(struct panelimage_size panel, unsigned scale,
					bool has_leds);

/* Adds the next row of the panel. Returns 0, or -1 if there is no memory. */
int pi_png_writer_add(struct pi_png_writer *writer, const uint8_t *rgb);

/* Ends the file, after the last row. Returns 0, or -1 if there is no memory. *ret_data is
 * malloc()ed and becomes the caller's. */
int pi_png_writer_end(struct pi_png_writer *writer, uint8_t **ret_data, size_t *ret_size);

/* Frees the writer, at any time; it may be NULL. */
void pi_png_writer_free(struct pi_png_writer *writer);
