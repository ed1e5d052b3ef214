/* Images whose colours are changed. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "panelimage/panelimage.h"
#include "samples.h"

enum { FRAME_BYTES = 64 * 32 * 3, FRAMES_MAX = 3 };

static const struct panelimage_size panel = {64, 32};

static const struct panelimage_colours same = {{{1000, 0, 0}, {0, 1000, 0}, {0, 0, 1000}}, 1000};
static const struct panelimage_colours grey = {{{299, 587, 114}, {299, 587, 114}, {299, 587, 114}},
					       1000};
static const struct panelimage_colours bold = {{{2000, -500, 0}, {0, 500, 501}, {-10000, 10000, 1}},
					       1000};
static const struct panelimage_colours dark = {{{1000, 0, 0}, {0, 1000, 0}, {0, 0, 1000}}, 100};

/* Frames of an image, as a decoder returns them. */
struct frames {
	unsigned count;
	uint32_t duration_ms[FRAMES_MAX];
	uint8_t rgb[FRAMES_MAX][FRAME_BYTES];
};

static bool keep(const uint8_t *rgb, uint32_t duration_ms, void *user)
{
	struct frames *frames = user;

	assert_true(frames->count < FRAMES_MAX);
	frames->duration_ms[frames->count] = duration_ms;
	memcpy(frames->rgb[frames->count++], rgb, FRAME_BYTES);
	return true;
}

static void decode(const uint8_t *data, size_t size, struct frames *ret)
{
	struct panelimage_error error;

	ret->count = 0;
	assert_int_equal(panelimage_decode(data, size, panel, keep, ret, &error), 0);
}

TEST(test_pixels)
{
	static const struct {
		const struct panelimage_colours *colours;
		uint32_t from, to;
	} all[] = {
	    {&same, 0x000000, 0x000000}, {&same, 0x123456, 0x123456}, {&same, 0xffffff, 0xffffff},
	    {&grey, 0xff0000, 0x4c4c4c}, {&grey, 0x00ff00, 0x969696}, {&grey, 0x0000ff, 0x1d1d1d},
	    {&grey, 0xffffff, 0xffffff}, {&bold, 0x200000, 0x400000}, {&bold, 0xff0000, 0xff0000},
	    {&bold, 0x004000, 0x0020ff}, {&bold, 0x000001, 0x000100}, {&dark, 0x0a0e0f, 0x010102},
	    {&dark, 0x010000, 0x010000}, {&dark, 0xff00ff, 0x1a001a},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(panelimage_recolour(all[i].from, all[i].colours), all[i].to);
}

static void check(const uint8_t *data, size_t size, const struct panelimage_colours *colours)
{
	static struct frames before, after;
	struct panelimage_result result;
	struct panelimage_error error;
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new_own(data, size, panel, &error);

	assert_non_null(conversion);
	assert_int_equal(panelimage_conversion_recolour(conversion, colours, &error), 0);
	assert_int_equal(panelimage_conversion_finish(conversion, &result, &error), 0);
	decode(data, size, &before);
	decode(result.data, result.size, &after);
	assert_int_equal(after.count, before.count);
	assert_memory_equal(after.duration_ms, before.duration_ms,
			    before.count * sizeof(before.duration_ms[0]));
	for (unsigned frame = 0; frame < before.count; frame++)
		for (size_t i = 0; i < FRAME_BYTES; i += 3) {
			const uint8_t *a = before.rgb[frame] + i, *b = after.rgb[frame] + i;
			uint32_t rgb = (uint32_t)a[0] << 16 | (uint32_t)a[1] << 8 | a[2];

			assert_int_equal((uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2],
					 panelimage_recolour(rgb, colours));
		}
	panelimage_result_finish(&result);
}

TEST(test_images)
{
	static const struct panelimage_colours *const all[] = {&same, &grey, &bold, &dark};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		check(sample_png, sizeof(sample_png), all[i]);
		check(sample_gif, sizeof(sample_gif), all[i]);
		check(sample_webp, sizeof(sample_webp), all[i]);
		check(sample_webp_alpha, sizeof(sample_webp_alpha), all[i]);
	}
}

/* The colours of an image that is shrunk change, too. */
TEST(test_magnified)
{
	static const struct panelimage_size half = {32, 16};
	struct panelimage_result plain, changed;
	struct panelimage_error error;
	struct panelimage_conversion *conversion;

	conversion =
	    panelimage_conversion_new_magnified(sample_png, sizeof(sample_png), half, &error);
	assert_int_equal(panelimage_conversion_finish(conversion, &plain, &error), 0);
	conversion =
	    panelimage_conversion_new_magnified(sample_png, sizeof(sample_png), half, &error);
	assert_int_equal(panelimage_conversion_recolour(conversion, &grey, &error), 0);
	assert_int_equal(panelimage_conversion_finish(conversion, &changed, &error), 0);
	assert_true(plain.size != changed.size ||
		    memcmp(plain.data, changed.data, plain.size) != 0);
	panelimage_result_finish(&plain);
	panelimage_result_finish(&changed);
}

RUN_TESTS(NULL, NULL)
