/* Walks over the blocks of a GIF (GIF89a, sections 15 to 27) without decoding pixels. */
#pragma once

#include "panelimage/panelimage.h"

enum gif_block {
	GIF_BLOCK_IMAGE,
	GIF_BLOCK_EXTENSION,
	GIF_BLOCK_TRAILER,
	GIF_BLOCK_TRUNCATED, /* the bytes end before the block does */
	GIF_BLOCK_UNKNOWN,
	GIF_BLOCK_TIRED, /* more sub-blocks than sub_blocks_left allowed */
};

struct gif_walk {
	const uint8_t *data;
	size_t size;
	size_t pos;		  /* position of the next block */
	size_t block;		  /* start of the last block */
	uint32_t sub_blocks_left; /* limits the time of a walk */
};

/* Properties of the whole container. */
struct gif_outline {
	uint32_t width, height;
	uint32_t frame_count;
	uint32_t loop_count; /* as WebP has it: times to play, 0 without end */
};

/* Starts behind the header and the global colour table. False if they are truncated. */
bool pi_gif_walk_init(struct gif_walk *walk, const uint8_t *data, size_t size);

/* Goes over one block, zero bytes before it included, which some encoders leave behind. */
enum gif_block pi_gif_walk_next(struct gif_walk *walk);

/* Reads the outline and checks canvas, number of frames and that there is a trailer. What
 * follows the trailer does not matter. Returns 0, or -1 with *reterr set. */
int pi_gif_outline(const uint8_t *data, size_t size, struct panelimage_size panel,
		   struct gif_outline *ret, struct panelimage_error *reterr);
