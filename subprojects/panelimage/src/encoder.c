#include "encoder.h"

#include <string.h>

#include "bytes.h"
#include "fail.h"
#include "vp8l.h"

enum {
	RIFF_BYTES = 12,
	CHUNK_HEADER_BYTES = 8,
	VP8X_BYTES = 10,
	ANIM_BYTES = 6,
	ANMF_BYTES = 16,
	FILE_HEADER_BYTES =
	    RIFF_BYTES + CHUNK_HEADER_BYTES + VP8X_BYTES + CHUNK_HEADER_BYTES + ANIM_BYTES,
	FRAME_HEADER_BYTES = CHUNK_HEADER_BYTES + ANMF_BYTES,
	VP8X_ALPHA = 0x10,
	VP8X_ANIMATION = 0x02,
	ANMF_NO_BLEND = 0x02,
	DURATION_MAX_MS = 0xffffff, /* the largest number of 24 bits */
};

/* Efforts of the encoder. Times are the longest seen for a canvas of 64x32, with any content.
 * Levels in between gain nothing over the two; above, ten times the time makes one byte of a
 * hundred. */
static const struct vp8l_effort effort_low = {.method = 0, .quality = 0};   /* 0.1 ms */
static const struct vp8l_effort effort_high = {.method = 1, .quality = 75}; /* 0.3 ms */

/* Efforts for frames encoded one way: the cheapest for what they show. Beside the high effort both
 * ways, they take half of the time, and a tenth more bytes. */
static const struct vp8l_effort effort_plain = {.method = 0, .quality = 75};
static const struct vp8l_effort effort_sparse = {.method = 1, .quality = 0};

enum {
	/* Pixels of an area from which transparent ones are worth more effort. */
	SPARSE_PIXELS = 1024,
	/* Number of an animation's pixels encoded with high effort: 500 canvases of 64x32. */
	EFFORT_PIXELS = 500 * 64 * 32,
};

/* To make a file small, a change is encoded with all its pixels if at least one of PLAIN_FROM
 * changes, and with unchanged pixels transparent if at least one of SPARSE_FROM stays. */
enum { PLAIN_FROM = 8, SPARSE_FROM = 8 };

/* Area that a frame changes; left and top are even, as ANMF has only their halves. */
struct change {
	uint32_t left, top, right, bottom; /* right and bottom are exclusive */
	uint32_t changed;		   /* number of changed pixels in the area */
};

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool same_canvas(const struct canvas *a, const struct canvas *b)
{
	return memcmp(a->argb, b->argb, pi_canvas_pixels(a) * sizeof(a->argb[0])) == 0;
}

static int fail_encode(const struct buffer *buffer, struct panelimage_error *reterr)
{
	if (buffer->full)
		(void)pi_fail(reterr, "image takes more than %d bytes as a WebP",
			      PANELIMAGE_OUTPUT_MAX_BYTES);
	else
		(void)pi_fail_memory(reterr);
	return -1;
}

/* Encodes the picture in one more way, and keeps the result in *best if it is the smallest so far.
 */
static int try_encode(struct encoder *encoder, const struct vp8l_picture *picture,
		      struct vp8l_effort effort, struct buffer **best,
		      struct panelimage_error *reterr)
{
	struct buffer *other = &encoder->candidate[*best == &encoder->candidate[0]];

	if (pi_vp8l_encode(picture, effort, other))
		return fail_encode(other, reterr);
	if (!*best || other->size < (*best)->size)
		*best = other;
	return 0;
}

/* Returns the smallest rectangle with all pixels in which the two differ; one pixel if there are
 * none. */
static struct change find_change(const struct canvas *from, const struct canvas *to)
{
	struct change change = {.left = from->size.width, .top = from->size.height};
	const uint32_t *a = from->argb, *b = to->argb;

	for (uint32_t y = 0; y < from->size.height; y++) {
		for (uint32_t x = 0; x < from->size.width; x++) {
			if (*a++ == *b++)
				continue;
			change.changed++;
			change.left = min_u32(change.left, x);
			change.top = min_u32(change.top, y);
			change.right = max_u32(change.right, x + 1);
			change.bottom = y + 1;
		}
	}
	if (change.changed == 0)
		return (struct change){.right = 1, .bottom = 1, .changed = 1};
	change.left &= ~UINT32_C(1);
	change.top &= ~UINT32_C(1);
	return change;
}

static struct change whole_canvas(const struct canvas *canvas)
{
	return (struct change){.right = canvas->size.width,
			       .bottom = canvas->size.height,
			       .changed = (uint32_t)pi_canvas_pixels(canvas)};
}

static struct vp8l_picture picture_of(struct canvas *canvas, const struct change *change)
{
	return (struct vp8l_picture){.argb = canvas->argb + change->top * canvas->size.width +
					     change->left,
				     .width = (int)(change->right - change->left),
				     .height = (int)(change->bottom - change->top),
				     .stride = (int)canvas->size.width};
}

/* Writes the target with all unchanged pixels transparent. */
static void leave_out_same(const struct canvas *from, const struct canvas *to, struct canvas *ret)
{
	for (size_t i = 0; i < pi_canvas_pixels(to); i++)
		ret->argb[i] = from->argb[i] == to->argb[i] ? 0 : to->argb[i];
}

/* Ways in which a change is encoded, one at least. */
struct ways {
	bool plain, sparse;
	struct vp8l_effort effort;
};

/* Chooses the one way that is nearly always the smaller one. */
static struct ways choose_one(const struct change *change, uint32_t pixels)
{
	bool sparse = change->changed < pixels / 2;

	return (struct ways){.plain = !sparse,
			     .sparse = sparse,
			     .effort =
				 sparse && pixels >= SPARSE_PIXELS ? effort_sparse : effort_plain};
}

/* Chooses all ways that are worth the time if bytes are scarce, with high effort as long as there
 * is enough left of it. */
static struct ways choose_small(struct encoder *encoder, const struct change *change,
				uint32_t pixels)
{
	struct ways ways = {.plain = change->changed >= pixels / PLAIN_FROM, .effort = effort_low};
	uint32_t work;

	ways.sparse = !ways.plain || change->changed < pixels - pixels / SPARSE_FROM;
	work = pixels * (ways.plain + ways.sparse);
	if (encoder->effort_left >= work) {
		encoder->effort_left -= work;
		ways.effort = effort_high;
	}
	return ways;
}

/* Encodes the change. *ret_best is one of the candidates, *ret_blend: its unchanged pixels are
 * transparent. */
static int encode_change(struct encoder *encoder, const struct change *change,
			 struct buffer **ret_best, bool *ret_blend, struct panelimage_error *reterr)
{
	struct vp8l_picture plain = picture_of(&encoder->pending, change);
	struct vp8l_picture sparse = picture_of(&encoder->sparse, change);
	uint32_t pixels = (uint32_t)(plain.width * plain.height);
	struct ways ways =
	    encoder->is_small ? choose_small(encoder, change, pixels) : choose_one(change, pixels);
	struct buffer *best = NULL;
	const struct buffer *best_plain;

	if (ways.plain && try_encode(encoder, &plain, ways.effort, &best, reterr))
		return -1;
	best_plain = best;
	if (ways.sparse) {
		leave_out_same(&encoder->shown, &encoder->pending, &encoder->sparse);
		if (try_encode(encoder, &sparse, ways.effort, &best, reterr))
			return -1;
	}
	*ret_best = best;
	*ret_blend = best != best_plain;
	return 0;
}

/* Writes one ANMF chunk (RFC 9649, 2.7.1.2). The image is a file, whose RIFF header is left off. */
static int write_frame(struct encoder *encoder, const struct change *change,
		       const struct buffer *image, bool blend, struct panelimage_error *reterr)
{
	size_t bytes = FRAME_HEADER_BYTES + image->size - RIFF_BYTES;
	uint8_t *p;

	encoder->is_full |= encoder->is_small && encoder->does_cut &&
			    encoder->file_bytes + bytes > PANELIMAGE_OUTPUT_MAX_BYTES;
	if (encoder->is_full)
		return 0;
	encoder->file_bytes += bytes;
	encoder->is_over = !encoder->is_small && encoder->file_bytes > encoder->max_bytes;
	if (encoder->is_over)
		return 0;
	/* From here on only measure the file, so that its sender gets its size. */
	if (encoder->file_bytes > PANELIMAGE_OUTPUT_MAX_BYTES) {
		pi_buffer_finish(&encoder->file);
		return 0;
	}
	p = pi_buffer_extend(&encoder->file, FRAME_HEADER_BYTES);
	if (!p)
		return fail_encode(&encoder->file, reterr);
	memcpy(p, "ANMF", 4);
	put_le32(p + 4, (uint32_t)(ANMF_BYTES + image->size - RIFF_BYTES));
	put_le24(p + 8, change->left / 2);
	put_le24(p + 11, change->top / 2);
	put_le24(p + 14, change->right - change->left - 1);
	put_le24(p + 17, change->bottom - change->top - 1);
	put_le24(p + 20, encoder->pending_ms);
	p[23] = blend ? 0 : ANMF_NO_BLEND;
	if (!pi_buffer_append(&encoder->file, image->data + RIFF_BYTES, image->size - RIFF_BYTES))
		return fail_encode(&encoder->file, reterr);
	return 0;
}

/* Writes the pending frame, whose duration is now known. */
static int flush(struct encoder *encoder, struct panelimage_error *reterr)
{
	bool first = encoder->frame_count == 0;
	struct change change = first ? whole_canvas(&encoder->pending)
				     : find_change(&encoder->shown, &encoder->pending);
	struct buffer *best;
	bool blend;

	/* The header is filled in at the end. */
	if (first && !pi_buffer_extend(&encoder->file, FILE_HEADER_BYTES))
		return fail_encode(&encoder->file, reterr);
	if (first)
		encoder->file_bytes = FILE_HEADER_BYTES;
	if (encode_change(encoder, &change, &best, &blend, reterr) ||
	    write_frame(encoder, &change, best, blend, reterr))
		return -1;
	if (encoder->is_full) {
		encoder->duration_ms -= encoder->pending_ms;
		return 0;
	}
	encoder->has_alpha |= blend;
	pi_canvas_copy(&encoder->shown, &encoder->pending);
	encoder->frame_count++;
	return 0;
}

static int on_frame(struct frame_sink *sink, const struct canvas *canvas, uint32_t duration_ms,
		    struct panelimage_error *reterr)
{
	struct encoder *encoder = (struct encoder *)sink;

	if (encoder->has_pending && same_canvas(&encoder->pending, canvas) &&
	    duration_ms <= DURATION_MAX_MS - encoder->pending_ms) {
		encoder->pending_ms += duration_ms;
		encoder->duration_ms += duration_ms;
		return 0;
	}
	if (encoder->has_pending && flush(encoder, reterr))
		return -1;
	pi_canvas_copy(&encoder->pending, canvas);
	encoder->pending_ms = duration_ms;
	encoder->duration_ms += duration_ms;
	encoder->has_pending = true;
	return 0;
}

int pi_encoder_init(struct encoder *encoder, struct panelimage_size size,
		    struct panelimage_error *reterr)
{
	memset(encoder, 0, sizeof(*encoder));
	encoder->sink.on_frame = on_frame;
	encoder->max_bytes = PANELIMAGE_OUTPUT_MAX_BYTES;
	encoder->effort_left = EFFORT_PIXELS;
	pi_buffer_init(&encoder->file, PANELIMAGE_OUTPUT_MAX_BYTES);
	pi_buffer_init(&encoder->candidate[0], PANELIMAGE_OUTPUT_MAX_BYTES);
	pi_buffer_init(&encoder->candidate[1], PANELIMAGE_OUTPUT_MAX_BYTES);
	if (pi_canvas_init(&encoder->shown, size, reterr) ||
	    pi_canvas_init(&encoder->pending, size, reterr) ||
	    pi_canvas_init(&encoder->sparse, size, reterr))
		return -1;
	return 0;
}

void pi_encoder_finish(struct encoder *encoder)
{
	pi_buffer_finish(&encoder->file);
	pi_buffer_finish(&encoder->candidate[0]);
	pi_buffer_finish(&encoder->candidate[1]);
	pi_canvas_finish(&encoder->shown);
	pi_canvas_finish(&encoder->pending);
	pi_canvas_finish(&encoder->sparse);
}

void pi_encoder_begin_small(struct encoder *encoder)
{
	encoder->file.size = 0;
	encoder->file_bytes = 0;
	encoder->duration_ms = 0;
	encoder->frame_count = 0;
	encoder->has_pending = false;
	encoder->has_alpha = false;
	encoder->is_over = false;
	encoder->is_full = false;
	encoder->is_small = true;
}

/* Moves the buffer's memory to the result. */
static void give(struct buffer *buffer, struct panelimage_result *ret)
{
	ret->data = buffer->data;
	ret->size = buffer->size;
	*buffer = (struct buffer){.max = buffer->max};
}

/* Encodes a still with both efforts if there is time: which result is smaller depends on the
 * picture. */
static int end_still(struct encoder *encoder, struct panelimage_result *ret,
		     struct panelimage_error *reterr)
{
	struct change all = whole_canvas(&encoder->pending);
	struct vp8l_picture picture = picture_of(&encoder->pending, &all);
	struct buffer *best = NULL;

	if (try_encode(encoder, &picture, effort_low, &best, reterr) ||
	    (!encoder->is_quick && try_encode(encoder, &picture, effort_high, &best, reterr)))
		return -1;
	ret->info.frame_count = 1;
	ret->info.animated = false;
	ret->info.duration_ms = 0;
	ret->info.loop_count = 0;
	give(best, ret);
	return 0;
}

/* RIFF, VP8X, ANIM (RFC 9649, 2.4, 2.7, 2.7.1.1) in front of the frames. The background colour
 * stays 0, transparent black: the first frame covers it. */
static void write_header(struct encoder *encoder, uint32_t loop_count)
{
	uint8_t *p = encoder->file.data;

	memset(p, 0, FILE_HEADER_BYTES);
	memcpy(p, "RIFF", 4);
	put_le32(p + 4, (uint32_t)(encoder->file.size - CHUNK_HEADER_BYTES));
	memcpy(p + 8, "WEBP", 4);
	memcpy(p + 12, "VP8X", 4);
	put_le32(p + 16, VP8X_BYTES);
	p[20] = (uint8_t)(VP8X_ANIMATION | (encoder->has_alpha ? VP8X_ALPHA : 0));
	put_le24(p + 24, encoder->pending.size.width - 1);
	put_le24(p + 27, encoder->pending.size.height - 1);
	memcpy(p + 30, "ANIM", 4);
	put_le32(p + 34, ANIM_BYTES);
	put_le16(p + 42, loop_count);
}

int pi_encoder_end(struct encoder *encoder, uint32_t loop_count, struct panelimage_result *ret,
		   struct panelimage_error *reterr)
{
	if (encoder->frame_count == 0)
		return end_still(encoder, ret, reterr);
	if (flush(encoder, reterr))
		return -1;
	if (encoder->is_over)
		return 0;
	if (encoder->file_bytes > PANELIMAGE_OUTPUT_MAX_BYTES) {
		pi_fail(reterr, "image takes %zu bytes as a WebP, at most %d are allowed",
			encoder->file_bytes, PANELIMAGE_OUTPUT_MAX_BYTES);
		reterr->is_too_large = true;
		return -1;
	}
	write_header(encoder, loop_count);
	ret->info.frame_count = encoder->frame_count;
	ret->info.animated = true;
	ret->info.duration_ms =
	    encoder->duration_ms < UINT32_MAX ? (uint32_t)encoder->duration_ms : UINT32_MAX;
	ret->info.loop_count = loop_count;
	give(&encoder->file, ret);
	return 0;
}
