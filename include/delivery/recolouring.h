/* Makes the WebP of a picture with a look, in steps, on any thread. */
#pragma once

#include "domain/look.h"
#include "loop/lanes.h"

#include <panelimage/panelimage.h>

struct recolouring {
	/* Set before: a picture, valid until the end, and its look, which is not plain. */
	struct str webp;
	struct picture_look look;
	/* Result, unless has_failed: the picture cannot be recoloured within the limits of
	 * pictures. Then it is to be shown as it is. */
	struct panelimage_result result;
	bool has_failed;
	struct panelimage_conversion *conversion; /* private */
};

/* Lane for the work: stills take less than a millisecond. */
enum lane recolouring_lane(const struct recolouring *recolouring);
/* Does a step. Returns whether there are more. */
bool recolouring_step(struct recolouring *recolouring);
/* The picture with its look, valid until recolouring_finish(); after a failure as it is. */
struct str recolouring_result(const struct recolouring *recolouring);
/* Frees all that is left. A zeroed struct is allowed. */
void recolouring_finish(struct recolouring *recolouring);
