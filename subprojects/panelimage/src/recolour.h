/* Changes the colours of frames before they are encoded. */
#pragma once

#include "canvas.h"

/* Takes frames, and passes them on in other colours. */
struct recolourer {
	struct frame_sink sink; /* first */
	struct frame_sink *next;
	struct panelimage_colours colours;
	struct canvas changed;
};

/* next must outlive the recolourer. Returns 0, or -1 with *reterr set. The recolourer may be
 * finished in both cases, and if it is zeroed. */
int pi_recolourer_init(struct recolourer *recolourer, struct frame_sink *next,
		       struct panelimage_size panel, const struct panelimage_colours *colours,
		       struct panelimage_error *reterr);
void pi_recolourer_finish(struct recolourer *recolourer);
