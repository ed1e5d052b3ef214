/* Images of one panel that are adapted to another. */
#include "test.h"

#include <string.h>

#include "panelimage/panelimage.h"
#include "samples.h"

enum { WIDTH_MAX = 128, HEIGHT_MAX = 64, FRAMES_MAX = 3 };

static const struct panelimage_size small = {64, 32};
static const struct panelimage_size wide = {128, 64};

static const struct panelimage_colours same = {{{1000, 0, 0}, {0, 1000, 0}, {0, 0, 1000}}, 1000};

/* Frames of an image, as a decoder returns them. */
struct frames {
	struct panelimage_size size;
	unsigned count;
	uint32_t duration_ms[FRAMES_MAX];
	uint8_t rgb[FRAMES_MAX][WIDTH_MAX * HEIGHT_MAX * 3];
};

static bool keep(const uint8_t *rgb, uint32_t duration_ms, void *user)
{
	struct frames *frames = user;

	assert_true(frames->count < FRAMES_MAX);
	frames->duration_ms[frames->count] = duration_ms;
	memcpy(frames->rgb[frames->count++], rgb,
	       (size_t)frames->size.width * frames->size.height * 3);
	return true;
}

static void decode(const uint8_t *data, size_t size, struct panelimage_size panel,
		   struct frames *ret)
{
	struct panelimage_error error;

	*ret = (struct frames){.size = panel};
	assert_int_equal(panelimage_decode(data, size, panel, keep, ret, &error), 0);
}

static const uint8_t *pixel(const struct frames *frames, unsigned frame, uint32_t x, uint32_t y)
{
	return frames->rgb[frame] + (size_t)(y * frames->size.width + x) * 3;
}

static void check_squares(const struct frames *squares, const struct frames *pixels)
{
	assert_int_equal(squares->count, pixels->count);
	assert_memory_equal(squares->duration_ms, pixels->duration_ms,
			    pixels->count * sizeof(pixels->duration_ms[0]));
	for (unsigned frame = 0; frame < pixels->count; frame++)
		for (uint32_t y = 0; y < squares->size.height; y++)
			for (uint32_t x = 0; x < squares->size.width; x++)
				assert_memory_equal(pixel(squares, frame, x, y),
						    pixel(pixels, frame, x / 2, y / 2), 3);
}

static struct panelimage_result adapted(const uint8_t *data, size_t size,
					struct panelimage_size panel, bool is_recoloured)
{
	struct panelimage_result result;
	struct panelimage_error error;
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new_adapted(data, size, panel, &error);

	assert_non_null(conversion);
	if (is_recoloured)
		assert_int_equal(panelimage_conversion_recolour(conversion, &same, &error), 0);
	assert_int_equal(panelimage_conversion_finish(conversion, &result, &error), 0);
	return result;
}

static void check(const uint8_t *data, size_t size, bool is_recoloured)
{
	static struct frames before, doubled, halved;
	struct panelimage_result large = adapted(data, size, wide, is_recoloured);
	struct panelimage_result back = adapted(large.data, large.size, small, is_recoloured);

	decode(data, size, small, &before);
	decode(large.data, large.size, wide, &doubled);
	decode(back.data, back.size, small, &halved);
	check_squares(&doubled, &before);
	assert_int_equal(halved.count, before.count);
	assert_memory_equal(halved.rgb, before.rgb, sizeof(before.rgb));
	panelimage_result_finish(&large);
	panelimage_result_finish(&back);
}

/* Halving ends what doubling did, also of an animation. */
TEST(test_doubled_and_halved)
{
	for (int is_recoloured = 0; is_recoloured < 2; is_recoloured++) {
		check(sample_png, sizeof(sample_png), is_recoloured);
		check(sample_gif, sizeof(sample_gif), is_recoloured);
		check(sample_webp, sizeof(sample_webp), is_recoloured);
		check(sample_webp_alpha, sizeof(sample_webp_alpha), is_recoloured);
	}
}

TEST(test_sizes)
{
	struct panelimage_error error;
	static const struct panelimage_size flat = {128, 32};
	struct panelimage_conversion *conversion;
	struct panelimage_result result;

	assert_true(panelimage_has_size(sample_png, sizeof(sample_png), small));
	assert_false(panelimage_has_size(sample_png, sizeof(sample_png), wide));
	assert_false(panelimage_has_size((const uint8_t *)"no image", 8, small));
	conversion =
	    panelimage_conversion_new_adapted(sample_png, sizeof(sample_png), flat, &error);
	assert_int_equal(panelimage_conversion_finish(conversion, &result, &error), -1);
	assert_string_equal(error.text, "image is 64x32 pixels, must be 128x32");
}

RUN_TESTS(NULL, NULL)
