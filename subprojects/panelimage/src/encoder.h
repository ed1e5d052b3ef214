/* Frames to one lossless WebP (RFC 9649): a still if all are alike, an animation otherwise.
 *
 * Each frame is written as the smallest rectangle that changed, the pixels in it that did not
 * change either as they are or transparent, whichever is smaller. Neighbours that are alike
 * become one frame. All is deterministic: the same frames give the same bytes, with the same
 * effort. */
#pragma once

#include "buffer.h"
#include "canvas.h"

struct encoder {
	struct frame_sink sink;	    /* first: give the frames to its on_frame */
	struct buffer file;	    /* the animation so far, header included */
	size_t file_bytes;	    /* its size, also if it is too large to be kept */
	struct buffer candidate[2]; /* one frame, encoded in one way and in another */
	struct canvas shown;	    /* what the written frames leave on the canvas */
	struct canvas pending;	    /* the last frame, as its duration may still grow */
	struct canvas sparse;	    /* the same, transparent where it is as shown */
	uint32_t pending_ms;
	uint64_t duration_ms; /* of all frames */
	uint32_t frame_count; /* written ones */
	uint32_t effort_left; /* pixels that may still be encoded with high effort */
	bool is_quick;	      /* a still is encoded with low effort alone */
	bool has_pending;
	bool has_alpha; /* a frame leaves pixels out */
};

/* Returns 0, or -1 with *reterr set; either way, and zeroed as well, it can be finished. */
int pi_encoder_init(struct encoder *encoder, struct panelimage_size size,
		    struct panelimage_error *reterr);
void pi_encoder_finish(struct encoder *encoder);

/* Ends the file. Sets data and size, which the caller then owns, and all of info but the
 * format. Returns 0, or -1 with *reterr set. There was one frame at least. */
int pi_encoder_end(struct encoder *encoder, uint32_t loop_count, struct panelimage_result *ret,
		   struct panelimage_error *reterr);
