/* Images that were magnified for a screen, such as the samples that authors of apps publish. */
#pragma once

#include "canvas.h"

/* Takes frames of the magnified size, and hands them on in the panel's. */
struct shrinker {
	struct frame_sink sink; /* first */
	struct frame_sink *next;
	struct canvas small;
	unsigned times;
};

/* next must outlive it. Returns 0, or -1 with *reterr set; either way, and zeroed as well, it can
 * be finished. */
int pi_shrinker_init(struct shrinker *shrinker, struct frame_sink *next,
		     struct panelimage_size panel, unsigned times, struct panelimage_error *reterr);
void pi_shrinker_finish(struct shrinker *shrinker);
