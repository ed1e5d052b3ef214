/* Walks over the chunks of a WebP (RFC 9649, section 2) without decoding pixels. */
#pragma once

#include "panelimage/panelimage.h"

struct webp_outline {
	struct panelimage_size size; /* the panel's */
	size_t file_bytes;	     /* of the RIFF chunk: what follows is no part of the image */
	bool animated;		     /* made of ANMF chunks, be it one */
	uint32_t frame_count;
	uint32_t duration_ms; /* of one loop, UINT32_MAX if longer */
	uint32_t loop_count;
	bool keeps_short; /* frames of 10 ms or less stay so: the file is our own */
};

/* Reads the outline and checks canvas, number of frames, each frame's rectangle and size, and
 * that the file is as long as it says. Returns 0, or -1 with *reterr set. */
int pi_webp_outline(const uint8_t *data, size_t size, struct panelimage_size panel,
		    struct webp_outline *ret, struct panelimage_error *reterr);

/* Gives frames in the file the duration for which they are shown (pi_shown_ms()), and the outline
 * the sum. data: of the outline's file. */
void pi_webp_lengthen(uint8_t *data, struct webp_outline *outline);

/* The outline in the public form. */
struct panelimage_info pi_webp_info(const struct webp_outline *outline);

/* Whether there is a second frame; looks at a few chunks only. */
bool pi_webp_has_second_frame(const uint8_t *data, size_t size);
