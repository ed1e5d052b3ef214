/* The picture that a renderer has made, taken for a stranger's file: all of it is decoded in a
 * worker lane before anybody else sees it. */
#pragma once

#include "base/buffer.h"
#include "loop/lanes.h"

#include <panelimage/panelimage.h>

/* Embed it. */
struct picture_check {
	struct lane_job job;			  /* private */
	struct panelimage_conversion *conversion; /* private */
	struct buffer bytes; /* is taken; an animation is cut if it has more than max_bytes */
	size_t max_bytes;
	struct panelimage_size size;
	bool is_cut;
	bool has_failed;
	struct panelimage_result result;
	struct panelimage_error error;
	void (*done)(struct picture_check *check); /* later, from the loop; once */
};

/* bytes, max_bytes, size and done are set. 0, or a refusal of lanes_submit(): done never comes.
 * picture_check_finish() it in either case, after done. */
__attribute__((warn_unused_result)) int
picture_check_start(struct loop *loop, struct picture_check *check, struct id account);
void picture_check_finish(struct picture_check *check);
