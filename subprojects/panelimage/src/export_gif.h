/* Writes pictures of the panel, 3 bytes a pixel, as a GIF, a frame at a time. */
#pragma once

#include "panelimage/panelimage.h"

struct pi_gif_writer;

/* loop_count: as in a WebP, 0 is without end. Returns NULL if there is no memory. */
struct pi_gif_writer *pi_gif_writer_new(struct panelimage_size panel, unsigned loop_count);
/* Adds a frame that is shown for so many hundredths of a second. Returns 0, or -1. */
int pi_gif_writer_add(struct pi_gif_writer *writer, const uint8_t *rgb, unsigned hundredths);
/* Ends the file. Returns 0, or -1; *ret_data is malloc()ed and becomes the caller's. */
int pi_gif_writer_end(struct pi_gif_writer *writer, uint8_t **ret_data, size_t *ret_size);
void pi_gif_writer_free(struct pi_gif_writer *writer);
