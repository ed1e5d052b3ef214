#include "png.h"

#include <spng.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bytes.h"
#include "fail.h"

enum {
	SIGNATURE_BYTES = 8,
	CHUNK_FRAME_BYTES = 12, /* bytes of length, type and checksum */
	IHDR_BYTES = 13,
	DEPTH_OFFSET = 8, /* within IHDR */
	COLOR_TYPE_OFFSET = 9,
};

enum chunk_use { CHUNK_KEEP, CHUNK_SKIP, CHUNK_END, CHUNK_UNKNOWN };

static bool type_is(const uint8_t *type, const char *name)
{
	return memcmp(type, name, 4) == 0;
}

/* Keeps only chunks that affect pixels. The suggested palette of a true-colour image is skipped,
 * too. */
static enum chunk_use chunk_use(const uint8_t *type, uint8_t color_type)
{
	if (type_is(type, "IHDR") || type_is(type, "IDAT"))
		return CHUNK_KEEP;
	if (type_is(type, "IEND"))
		return CHUNK_END;
	if (type_is(type, "PLTE"))
		return color_type == SPNG_COLOR_TYPE_INDEXED ? CHUNK_KEEP : CHUNK_SKIP;
	if (type_is(type, "tRNS"))
		return color_type <= SPNG_COLOR_TYPE_INDEXED ? CHUNK_KEEP : CHUNK_SKIP;
	/* PNG 5.4: a capital first letter marks a chunk without which there is no picture. */
	return type[0] & 0x20 ? CHUNK_SKIP : CHUNK_UNKNOWN;
}

static int check_header(const uint8_t *data, size_t size, struct panelimage_size panel,
			struct panelimage_error *reterr)
{
	const uint8_t *ihdr = data + SIGNATURE_BYTES + 8;

	if (size < SIGNATURE_BYTES + CHUNK_FRAME_BYTES + IHDR_BYTES)
		return pi_fail(reterr, "PNG is truncated in its header");
	if (be32(ihdr - 8) != IHDR_BYTES || !type_is(ihdr - 4, "IHDR"))
		return pi_fail(reterr, "PNG does not start with a header");
	return pi_canvas_check_size(be32(ihdr), be32(ihdr + 4), panel, reterr);
}

static uint32_t checksum(const uint8_t *chunk)
{
	return (uint32_t)crc32_z(0, chunk + 4, (z_size_t)be32(chunk) + 4);
}

/* PNG 11.3.2.1: of the transparent gray only the low bits count, as many as a sample has. libspng
 * compares all sixteen. A chunk whose checksum is wrong stays as it is: libspng reports it. */
static void mask_transparent_gray(uint8_t *trns, unsigned depth)
{
	uint8_t *sample = trns + 8, *sum = sample + 2;

	if (be32(trns) != 2 || depth >= 16 || be32(sum) != checksum(trns))
		return;
	sample[0] = 0;
	sample[1] = (uint8_t)(sample[1] & ((1U << depth) - 1));
	put_be32(sum, checksum(trns));
}

/* Copies the chunks that affect pixels to ret_kept, which has room for size bytes. An ICC profile
 * or a text is compressed and may unpack to a thousand times its size: no decoder sees it. */
static int keep_pixel_chunks(const uint8_t *data, size_t size, uint8_t *ret_kept,
			     size_t *ret_kept_size, struct panelimage_error *reterr)
{
	const uint8_t *ihdr = data + SIGNATURE_BYTES + 8;
	uint8_t color_type = ihdr[COLOR_TYPE_OFFSET];
	size_t pos = SIGNATURE_BYTES;
	size_t kept = SIGNATURE_BYTES;
	unsigned palettes = 0;

	memcpy(ret_kept, data, SIGNATURE_BYTES);
	while (size - pos >= CHUNK_FRAME_BYTES) {
		const uint8_t *chunk = data + pos;
		enum chunk_use use = chunk_use(chunk + 4, color_type);
		size_t bytes;

		if (be32(chunk) > size - pos - CHUNK_FRAME_BYTES)
			break;
		bytes = (size_t)be32(chunk) + CHUNK_FRAME_BYTES;
		if (use == CHUNK_UNKNOWN)
			return pi_fail(reterr, "PNG has an unknown critical chunk at byte %zu",
				       pos);
		if (type_is(chunk + 4, "PLTE") && ++palettes > 1)
			return pi_fail(reterr, "PNG has two palettes");
		if (use != CHUNK_SKIP) {
			memcpy(ret_kept + kept, chunk, bytes);
			if (color_type == SPNG_COLOR_TYPE_GRAYSCALE && type_is(chunk + 4, "tRNS"))
				mask_transparent_gray(ret_kept + kept, ihdr[DEPTH_OFFSET]);
			kept += bytes;
		}
		pos += bytes;
		if (use == CHUNK_END) {
			*ret_kept_size = kept;
			return 0;
		}
	}
	return pi_fail(reterr, "PNG is truncated after %zu bytes", size);
}

/* Set if an allocation has failed for the current file: zlib may lack memory in the middle of a
 * file, too, which libspng reports as damage. The allocator has no context, hence a variable. */
static _Thread_local bool lacks_memory;

static void *seen(void *memory)
{
	lacks_memory |= !memory;
	return memory;
}

static void *png_take(size_t size)
{
	return seen(malloc(size));
}

static void *take_again(void *memory, size_t size)
{
	return seen(realloc(memory, size));
}

static void *take_zeroed(size_t count, size_t size)
{
	return seen(calloc(count, size));
}

/* Decodes into the memory of the canvas, which also has four bytes a pixel. */
static int decode_rgba(const uint8_t *data, size_t size, struct canvas *ret)
{
	size_t rgba_size = pi_canvas_pixels(ret) * 4;
	struct spng_alloc alloc = {png_take, take_again, take_zeroed, free};
	spng_ctx *ctx;
	int rc;

	lacks_memory = false;
	ctx = spng_ctx_new2(&alloc, 0);
	if (!ctx)
		return SPNG_EMEM;
	/* A wrong checksum is an error in tRNS, too: it is ancillary, but affects pixels. */
	rc = spng_set_crc_action(ctx, SPNG_CRC_ERROR, SPNG_CRC_ERROR);
	if (rc == 0)
		rc = spng_set_image_limits(ctx, ret->size.width, ret->size.height);
	if (rc == 0)
		rc = spng_set_chunk_limits(ctx, PANELIMAGE_INPUT_MAX_BYTES,
					   PANELIMAGE_INPUT_MAX_BYTES);
	if (rc == 0)
		rc = spng_set_png_buffer(ctx, data, size);
	if (rc == 0)
		rc = spng_decode_image(ctx, ret->argb, rgba_size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS);
	if (rc == 0)
		rc = spng_decode_chunks(ctx);
	spng_ctx_free(ctx);
	return rc;
}

int pi_png_decode(const uint8_t *data, size_t size, struct canvas *canvas,
		  struct panelimage_error *reterr)
{
	uint8_t *kept;
	size_t kept_size = 0;
	int rc;

	if (check_header(data, size, canvas->size, reterr))
		return -1;
	kept = malloc(size);
	if (!kept)
		return pi_fail_memory(reterr);
	if (keep_pixel_chunks(data, size, kept, &kept_size, reterr)) {
		free(kept);
		return -1;
	}
	rc = decode_rgba(kept, kept_size, canvas);
	free(kept);
	if (rc && lacks_memory)
		return pi_fail_memory(reterr);
	if (rc)
		return pi_fail(reterr, "PNG is damaged: %s", spng_strerror(rc));
	for (size_t i = 0; i < pi_canvas_pixels(canvas); i++)
		canvas->argb[i] = argb_over_black((uint8_t *)&canvas->argb[i]);
	return 0;
}
