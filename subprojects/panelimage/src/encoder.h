/* Encodes frames into one lossless WebP (RFC 9649): a still if all are equal, else an animation.
 *
 * Each frame is written as the smallest rectangle that changed, with unchanged pixels in it either
 * as they are or transparent. Equal neighbours become one frame. A frame of an animation is encoded
 * once, with little effort. If the file has more than max_bytes then, the encoder wants all frames
 * again, and tries more ways. The result is deterministic: the same frames with the same effort and
 * max_bytes give the same bytes. */
#pragma once

#include "buffer.h"
#include "canvas.h"

struct encoder {
	struct frame_sink sink;	    /* first: give the frames to its on_frame */
	struct buffer file;	    /* the animation so far, header included */
	size_t file_bytes;	    /* its size in bytes, also if it is too large to be stored */
	size_t max_bytes;	    /* from here on bytes are scarce, see is_small */
	struct buffer candidate[2]; /* one frame, encoded in two ways */
	struct canvas shown;	    /* the canvas after the written frames */
	struct canvas pending;	    /* the last frame: its duration may still grow */
	struct canvas sparse;	    /* pending, transparent where it equals shown */
	uint32_t pending_ms;
	uint64_t duration_ms; /* duration of all frames */
	uint32_t frame_count; /* number of written frames */
	uint32_t effort_left; /* pixels that may still be encoded with high effort */
	bool is_quick;	      /* a still is encoded with low effort alone */
	bool is_over;	      /* the file has more than max_bytes: call pi_encoder_begin_small() */
	bool does_cut;	      /* frames that do not fit into the file are left out */
	bool is_full;	      /* they are, from now on */
	bool is_small;	      /* frames of an animation are encoded in several ways */
	bool has_pending;
	bool has_alpha; /* a frame has transparent pixels */
};

/* Returns 0, or -1 with *reterr set. The encoder may be finished in both cases, and if it is
 * zeroed. */
int pi_encoder_init(struct encoder *encoder, struct panelimage_size size,
		    struct panelimage_error *reterr);
void pi_encoder_finish(struct encoder *encoder);

/* Forgets all frames. They must be added again, and the file is made as small as it can be. */
void pi_encoder_begin_small(struct encoder *encoder);

/* Ends the file, unless is_over is set then: then *ret is untouched. Sets data and size, which the
 * caller then owns, and all of info except the format. At least one frame must have been added.
 * Returns 0, or -1 with *reterr set. */
int pi_encoder_end(struct encoder *encoder, uint32_t loop_count, struct panelimage_result *ret,
		   struct panelimage_error *reterr);
