#include "gif_walk.h"

#include <string.h>

#include "bytes.h"
#include "canvas.h"
#include "fail.h"

enum {
	HEADER_BYTES = 13, /* signature and logical screen descriptor */
	IMAGE_BYTES = 10,  /* image descriptor with its separator */
	APPLICATION_BYTES = 11,
	LOOP_ENDLESS = 0,
	LOOP_MAX = 65535,
};

/* Returns the size in bytes of the colour table that the flags announce. */
static size_t color_table_bytes(uint8_t flags)
{
	return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

bool pi_gif_walk_init(struct gif_walk *walk, const uint8_t *data, size_t size)
{
	*walk = (struct gif_walk){.data = data, .size = size, .sub_blocks_left = UINT32_MAX};
	if (size < HEADER_BYTES)
		return false;
	walk->pos = HEADER_BYTES + color_table_bytes(data[10]);
	return walk->pos <= size;
}

/* Skips sub-blocks and their terminator. */
static enum gif_block skip_sub_blocks(struct gif_walk *walk, enum gif_block block)
{
	while (walk->pos < walk->size) {
		size_t bytes = walk->data[walk->pos];

		if (bytes + 1 > walk->size - walk->pos)
			break;
		walk->pos += bytes + 1;
		if (bytes == 0)
			return block;
		if (walk->sub_blocks_left-- == 0)
			return GIF_BLOCK_TIRED;
	}
	return GIF_BLOCK_TRUNCATED;
}

static enum gif_block skip_image(struct gif_walk *walk)
{
	size_t bytes = IMAGE_BYTES;

	if (bytes > walk->size - walk->pos)
		return GIF_BLOCK_TRUNCATED;
	bytes += color_table_bytes(walk->data[walk->pos + 9]) + 1; /* 1: the LZW code size */
	if (bytes > walk->size - walk->pos)
		return GIF_BLOCK_TRUNCATED;
	walk->pos += bytes;
	return skip_sub_blocks(walk, GIF_BLOCK_IMAGE);
}

enum gif_block pi_gif_walk_next(struct gif_walk *walk)
{
	while (walk->pos < walk->size && walk->data[walk->pos] == 0)
		walk->pos++;
	walk->block = walk->pos;
	if (walk->pos == walk->size)
		return GIF_BLOCK_TRUNCATED;
	switch (walk->data[walk->pos]) {
	case ',':
		return skip_image(walk);
	case '!':
		if (walk->size - walk->pos < 2)
			return GIF_BLOCK_TRUNCATED;
		walk->pos += 2;
		return skip_sub_blocks(walk, GIF_BLOCK_EXTENSION);
	case ';':
		walk->pos++;
		return GIF_BLOCK_TRAILER;
	default:
		return GIF_BLOCK_UNKNOWN;
	}
}

/* Reads the loop count of an application extension (NETSCAPE2.0, and ANIMEXTS1.0, which copied it).
 * The block must be complete. */
static void read_loop_count(const struct gif_walk *walk, struct gif_outline *outline)
{
	const uint8_t *block = walk->data + walk->block;
	const uint8_t *sub = block + 3 + APPLICATION_BYTES;
	size_t bytes = walk->pos - walk->block;
	uint32_t repeats;

	if (bytes < 3 + APPLICATION_BYTES + 4 || block[1] != 0xff || block[2] != APPLICATION_BYTES)
		return;
	if (memcmp(block + 3, "NETSCAPE2.0", APPLICATION_BYTES) != 0 &&
	    memcmp(block + 3, "ANIMEXTS1.0", APPLICATION_BYTES) != 0)
		return;
	if (sub[0] < 3 || (sub[1] & 7) != 1)
		return;
	repeats = le16(sub + 2);
	/* GIF counts the repetitions, WebP the times played. */
	if (repeats == 0)
		outline->loop_count = LOOP_ENDLESS;
	else
		outline->loop_count = repeats < LOOP_MAX ? repeats + 1 : LOOP_MAX;
}

static int walk_all(struct gif_walk *walk, struct gif_outline *outline,
		    struct panelimage_error *reterr)
{
	for (;;) {
		switch (pi_gif_walk_next(walk)) {
		case GIF_BLOCK_IMAGE:
			outline->frame_count++;
			break;
		case GIF_BLOCK_EXTENSION:
			read_loop_count(walk, outline);
			break;
		case GIF_BLOCK_TRAILER:
			return 0;
		case GIF_BLOCK_UNKNOWN:
			return pi_fail(reterr, "GIF has an unknown block 0x%02x at byte %zu",
				       walk->data[walk->block], walk->block);
		case GIF_BLOCK_TRUNCATED:
		case GIF_BLOCK_TIRED:
			return pi_fail(reterr, "GIF is truncated after frame %u",
				       outline->frame_count);
		}
	}
}

int pi_gif_outline(const uint8_t *data, size_t size, struct panelimage_size panel,
		   struct gif_outline *ret, struct panelimage_error *reterr)
{
	struct gif_outline outline = {.loop_count = 1};
	struct gif_walk walk;
	bool whole_header = pi_gif_walk_init(&walk, data, size);

	if (size < HEADER_BYTES)
		return pi_fail(reterr, "GIF is truncated in its header");
	outline.width = le16(data + 6);
	outline.height = le16(data + 8);
	if (pi_canvas_check_size(outline.width, outline.height, panel, reterr))
		return -1;
	if (!whole_header)
		return pi_fail(reterr, "GIF is truncated in its colour table");
	if (walk_all(&walk, &outline, reterr))
		return -1;
	if (outline.frame_count == 0)
		return pi_fail(reterr, "GIF has no frame");
	if (outline.frame_count > PANELIMAGE_FRAMES_MAX)
		return pi_fail(reterr, "image has %u frames, at most %d are allowed",
			       outline.frame_count, PANELIMAGE_FRAMES_MAX);
	*ret = outline;
	return 0;
}
