/* Changes the size of images by whole factors: shrinks those that were magnified for a screen, such
 * as the sample pictures of app authors, and adapts pictures of one panel to another. */
#pragma once

#include "canvas.h"

/* Takes frames of another size, and passes them on in the panel's size. */
struct resizer {
	struct frame_sink sink; /* first */
	struct frame_sink *next;
	struct canvas resized;
	unsigned times;	   /* factor between the sizes */
	bool does_enlarge; /* each pixel becomes a square; else the middle pixel of each square
			      counts */
};

/* Reads the image's size from its header; zero if there is none. */
struct panelimage_size pi_size_of(const uint8_t *data, size_t size);

/* next must outlive the resizer. Returns 0, or -1 with *reterr set. The resizer may be finished in
 * both cases, and if it is zeroed. */
int pi_resizer_init(struct resizer *resizer, struct frame_sink *next, struct panelimage_size panel,
		    unsigned times, bool does_enlarge, struct panelimage_error *reterr);
void pi_resizer_finish(struct resizer *resizer);
