/* Walks over the chunks of a WebP (RFC 9649, section 2) without decoding pixels. */
#pragma once

#include "panelimage/panelimage.h"

struct webp_outline {
	struct panelimage_size size; /* the panel's */
	size_t file_bytes;	     /* size of the RIFF chunk: bytes behind it are not part of the
					image */
	bool animated;		     /* it has ANMF chunks, even if only one */
	uint32_t frame_count;
	uint32_t duration_ms; /* of one loop; UINT32_MAX if it is longer */
	uint32_t loop_count;
	bool keeps_short; /* keep frames of 10 ms or less: another program of this project has made
			     the file */
};

/* Reads the outline and checks canvas, number of frames, each frame's rectangle and size, and that
 * the file has the size that it announces. Returns 0, or -1 with *reterr set. */
int pi_webp_outline(const uint8_t *data, size_t size, struct panelimage_size panel,
		    struct webp_outline *ret, struct panelimage_error *reterr);

/* Writes the display time (pi_shown_ms()) of each frame into the file, and their sum into the
 * outline. data: the bytes of the outline's file. */
void pi_webp_lengthen(uint8_t *data, struct webp_outline *outline);

/* Returns the outline in the public form. */
struct panelimage_info pi_webp_info(const struct webp_outline *outline);

/* Whether there is a second frame; reads only a few chunks. */
bool pi_webp_has_second_frame(const uint8_t *data, size_t size);
