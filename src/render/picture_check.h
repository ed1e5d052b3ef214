/* Checks a renderer's picture, which is untrusted: decodes all of it in a worker lane before any
 * other use. */
#pragma once

#include "base/buffer.h"
#include "loop/lanes.h"

#include <panelimage/panelimage.h>

/* Check. Embed it. */
struct picture_check {
	struct lane_job job;			  /* private */
	struct panelimage_conversion *conversion; /* private */
	struct buffer bytes; /* taken over; an animation is cut if it has more than max_bytes */
	size_t max_bytes;
	struct panelimage_size size;
	bool is_cut;
	bool has_failed;
	struct panelimage_result result;
	struct panelimage_error error;
	void (*done)(struct picture_check *check); /* called once, later, from the loop */
};

/* Begins a check, with bytes, max_bytes, size and done set. Returns 0, or an error of
 * lanes_submit(): then done is never called. Call picture_check_finish() in either case, after
 * done. */
__attribute__((warn_unused_result)) int
picture_check_start(struct loop *loop, struct picture_check *check, struct id account);
void picture_check_finish(struct picture_check *check);
