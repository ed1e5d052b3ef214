#include "webp_walk.h"

#include <string.h>
#include <webp/decode.h>

#include "bytes.h"
#include "canvas.h"
#include "fail.h"

enum {
	RIFF_BYTES = 12, /* "RIFF", size, "WEBP" */
	CHUNK_HEADER_BYTES = 8,
	VP8X_BYTES = 10,
	VP8X_ANIMATION = 0x02,
	ANIM_BYTES = 6,
	ANMF_BYTES = 16,
	LOOK_CHUNKS_MAX = 64,
};

struct chunk {
	const uint8_t *type;
	const uint8_t *payload;
	uint32_t size; /* of the payload, without its padding */
};

struct webp_walk {
	const uint8_t *data;
	size_t size;
	size_t pos;
};

static bool chunk_is(const struct chunk *chunk, const char *type)
{
	return memcmp(chunk->type, type, 4) == 0;
}

/* Reads the next chunk. Returns false at the end, and if the rest has no complete chunk. */
static bool next_chunk(struct webp_walk *walk, struct chunk *ret)
{
	size_t left = walk->size - walk->pos;
	uint32_t bytes;

	if (left < CHUNK_HEADER_BYTES)
		return false;
	left -= CHUNK_HEADER_BYTES;
	bytes = le32(walk->data + walk->pos + 4);
	if (bytes > left)
		return false;
	*ret = (struct chunk){.type = walk->data + walk->pos,
			      .payload = walk->data + walk->pos + CHUNK_HEADER_BYTES,
			      .size = bytes};
	/* A chunk of odd size is padded; the last one's padding may be missing. */
	walk->pos += CHUNK_HEADER_BYTES + bytes + (bytes & (bytes < left ? 1 : 0));
	return true;
}

static uint32_t add_duration(uint32_t sum_ms, uint32_t ms)
{
	return ms > UINT32_MAX - sum_ms ? UINT32_MAX : sum_ms + ms;
}

/* Checks the size that the frame's bitstream repeats: a wrong one would cost memory later. */
static int check_frame_bitstream(const struct chunk *anmf, uint32_t width, uint32_t height,
				 uint32_t number, struct panelimage_error *reterr)
{
	struct webp_walk walk = {.data = anmf->payload, .size = anmf->size, .pos = ANMF_BYTES};
	struct chunk chunk;
	int real_width = 0;
	int real_height = 0;

	while (next_chunk(&walk, &chunk)) {
		if (!chunk_is(&chunk, "VP8 ") && !chunk_is(&chunk, "VP8L"))
			continue;
		/* Read it with its header: WebPGetInfo() reports a bare lossy frame as damaged. */
		if (!WebPGetInfo(chunk.type, chunk.size + CHUNK_HEADER_BYTES, &real_width,
				 &real_height))
			return pi_fail(reterr, "WebP frame %u is damaged", number);
		if ((uint32_t)real_width != width || (uint32_t)real_height != height)
			return pi_fail(reterr, "WebP frame %u is %dx%d pixels, not %ux%u", number,
				       real_width, real_height, width, height);
		return 0;
	}
	return pi_fail(reterr, "WebP frame %u holds no image", number);
}

static int take_frame(const struct chunk *anmf, struct webp_outline *outline,
		      struct panelimage_error *reterr)
{
	const uint8_t *p = anmf->payload;
	uint32_t left, top, width, height;

	outline->frame_count++;
	if (anmf->size < ANMF_BYTES)
		return pi_fail(reterr, "WebP frame %u is damaged", outline->frame_count);
	if (outline->frame_count > PANELIMAGE_FRAMES_MAX)
		return 0; /* counting continues, to report how many there are */
	left = le24(p) * 2;
	top = le24(p + 3) * 2;
	width = le24(p + 6) + 1;
	height = le24(p + 9) + 1;
	if (left + width > outline->size.width || top + height > outline->size.height)
		return pi_fail(reterr, "WebP frame %u is %ux%u pixels at %u,%u, outside of %ux%u",
			       outline->frame_count, width, height, left, top, outline->size.width,
			       outline->size.height);
	outline->duration_ms = add_duration(outline->duration_ms, le24(p + 12));
	return check_frame_bitstream(anmf, width, height, outline->frame_count, reterr);
}

static int walk_animation(struct webp_walk *walk, struct webp_outline *outline,
			  struct panelimage_error *reterr)
{
	struct chunk chunk;

	while (next_chunk(walk, &chunk)) {
		if (chunk_is(&chunk, "ANIM") && chunk.size >= ANIM_BYTES)
			outline->loop_count = le16(chunk.payload + 4);
		else if (chunk_is(&chunk, "ANMF") && take_frame(&chunk, outline, reterr))
			return -1;
	}
	if (outline->frame_count > PANELIMAGE_FRAMES_MAX)
		return pi_fail(reterr, "image has %u frames, at most %d are allowed",
			       outline->frame_count, PANELIMAGE_FRAMES_MAX);
	if (outline->frame_count == 0)
		return pi_fail(reterr, "WebP has no frame");
	return 0;
}

static int check_still(const struct chunk *image, struct panelimage_size panel,
		       struct panelimage_error *reterr)
{
	int width;
	int height;

	if (!WebPGetInfo(image->type, image->size + CHUNK_HEADER_BYTES, &width, &height))
		return pi_fail(reterr, "WebP is damaged");
	return pi_canvas_check_size((uint32_t)width, (uint32_t)height, panel, reterr);
}

/* Reads a still in the extended format: the image is one of the chunks. */
static int walk_still(struct webp_walk *walk, struct panelimage_size panel,
		      struct panelimage_error *reterr)
{
	struct chunk chunk;

	while (next_chunk(walk, &chunk))
		if (chunk_is(&chunk, "VP8 ") || chunk_is(&chunk, "VP8L"))
			return check_still(&chunk, panel, reterr);
	return pi_fail(reterr, "WebP holds no image");
}

static int start_walk(const uint8_t *data, size_t size, struct webp_walk *ret,
		      struct panelimage_error *reterr)
{
	size_t claimed;

	if (size < RIFF_BYTES + CHUNK_HEADER_BYTES)
		return pi_fail(reterr, "WebP is truncated in its header");
	claimed = le32(data + 4);
	if (claimed > size - CHUNK_HEADER_BYTES)
		return pi_fail(reterr, "WebP is truncated, it has %zu bytes of %zu", size,
			       claimed + CHUNK_HEADER_BYTES);
	if (claimed < RIFF_BYTES)
		return pi_fail(reterr, "WebP holds no image");
	*ret = (struct webp_walk){
	    .data = data, .size = claimed + CHUNK_HEADER_BYTES, .pos = RIFF_BYTES};
	return 0;
}

int pi_webp_outline(const uint8_t *data, size_t size, struct panelimage_size panel,
		    struct webp_outline *ret, struct panelimage_error *reterr)
{
	struct webp_outline outline = {.size = panel};
	struct webp_walk walk = {0};
	struct chunk first;
	int rc;

	if (start_walk(data, size, &walk, reterr))
		return -1;
	outline.file_bytes = walk.size;
	if (!next_chunk(&walk, &first))
		return pi_fail(reterr, "WebP is damaged, its first chunk is larger than the file");
	if (chunk_is(&first, "VP8 ") || chunk_is(&first, "VP8L")) {
		rc = check_still(&first, panel, reterr);
	} else if (!chunk_is(&first, "VP8X") || first.size < VP8X_BYTES) {
		rc = pi_fail(reterr, "WebP is damaged, it does not start with an image");
	} else if (pi_canvas_check_size(le24(first.payload + 4) + 1, le24(first.payload + 7) + 1,
					panel, reterr)) {
		rc = -1;
	} else {
		outline.animated = first.payload[0] & VP8X_ANIMATION;
		rc = outline.animated ? walk_animation(&walk, &outline, reterr)
				      : walk_still(&walk, panel, reterr);
	}
	if (rc)
		return -1;
	if (!outline.animated)
		outline.frame_count = 1;
	*ret = outline;
	return 0;
}

void pi_webp_lengthen(uint8_t *data, struct webp_outline *outline)
{
	struct webp_walk walk = {.data = data, .size = outline->file_bytes, .pos = RIFF_BYTES};
	struct chunk chunk;

	outline->duration_ms = 0;
	while (next_chunk(&walk, &chunk)) {
		uint8_t *duration = data + (chunk.payload - data) + 12;

		if (!chunk_is(&chunk, "ANMF") || chunk.size < ANMF_BYTES)
			continue;
		put_le24(duration, pi_shown_ms(le24(duration)));
		outline->duration_ms = add_duration(outline->duration_ms, le24(duration));
	}
}

struct panelimage_info pi_webp_info(const struct webp_outline *outline)
{
	bool animated = outline->frame_count > 1;

	return (struct panelimage_info){.format = PANELIMAGE_FORMAT_WEBP,
					.frame_count = outline->frame_count,
					.animated = animated,
					.duration_ms = animated ? outline->duration_ms : 0,
					.loop_count = animated ? outline->loop_count : 0};
}

int panelimage_probe_webp(const uint8_t *data, size_t size, struct panelimage_size panel,
			  struct panelimage_info *ret, struct panelimage_error *reterr)
{
	struct webp_outline outline = {0};

	if (panelimage_detect(data, size) != PANELIMAGE_FORMAT_WEBP)
		return pi_fail(reterr, "image is not a WebP file");
	if (pi_webp_outline(data, size, panel, &outline, reterr))
		return -1;
	*ret = pi_webp_info(&outline);
	return 0;
}

size_t panelimage_cut_webp(uint8_t *data, size_t size, size_t max_bytes)
{
	struct webp_walk walk = {.data = data, .size = size, .pos = RIFF_BYTES};
	struct chunk chunk;
	size_t kept = 0; /* bytes up to the last frame that fits */
	unsigned frames = 0;

	if (!pi_webp_has_second_frame(data, size))
		return size;
	while (next_chunk(&walk, &chunk) && walk.pos <= max_bytes)
		if (chunk_is(&chunk, "ANMF") && ++frames <= PANELIMAGE_FRAMES_MAX)
			kept = walk.pos;
	if (kept == 0 || (size <= max_bytes && frames <= PANELIMAGE_FRAMES_MAX))
		return size;
	put_le32(data + 4, (uint32_t)(kept - CHUNK_HEADER_BYTES));
	return kept;
}

bool pi_webp_has_second_frame(const uint8_t *data, size_t size)
{
	struct webp_walk walk = {.data = data, .size = size, .pos = RIFF_BYTES};
	struct chunk chunk;
	int frames = 0;

	if (size < RIFF_BYTES || !next_chunk(&walk, &chunk) || !chunk_is(&chunk, "VP8X") ||
	    chunk.size < VP8X_BYTES || !(chunk.payload[0] & VP8X_ANIMATION))
		return false;
	for (int i = 0; i < LOOK_CHUNKS_MAX && frames < 2; i++) {
		if (!next_chunk(&walk, &chunk))
			return false;
		frames += chunk_is(&chunk, "ANMF");
	}
	return true;
}
