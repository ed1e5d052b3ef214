/* Shrinks images that were magnified for a screen, such as the sample pictures of app authors. */
#pragma once

#include "canvas.h"

/* Takes frames of the magnified size, and passes them on in the panel's size. */
struct shrinker {
	struct frame_sink sink; /* first */
	struct frame_sink *next;
	struct canvas small;
	unsigned times;
};

/* next must outlive the shrinker. Returns 0, or -1 with *reterr set. The shrinker may be finished
 * in both cases, and if it is zeroed. */
int pi_shrinker_init(struct shrinker *shrinker, struct frame_sink *next,
		     struct panelimage_size panel, unsigned times, struct panelimage_error *reterr);
void pi_shrinker_finish(struct shrinker *shrinker);
