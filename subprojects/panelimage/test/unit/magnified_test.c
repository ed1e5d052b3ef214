/* Images that are larger than the panel by a whole number. */
#include "test.h"

#include <string.h>

#include "panelimage/panelimage.h"
#include "samples.h"

/* The samples are for the first one. */
static const struct panelimage_size panel = {64, 32};
static const struct panelimage_size half = {32, 16};
static const struct panelimage_size flat = {64, 16};

struct sample {
	const uint8_t *data;
	size_t size;
	uint32_t frame_count;
	uint32_t duration_ms;
};

static const struct sample samples[] = {
    {sample_png, sizeof(sample_png), 1, 0},
    {sample_gif, sizeof(sample_gif), 3, 350},
    {sample_webp, sizeof(sample_webp), 1, 0},
    {sample_webp_alpha, sizeof(sample_webp_alpha), 2, 70},
};

TEST(test_magnification)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];

		assert_int_equal(panelimage_magnification(sample->data, sample->size, panel), 1);
		assert_int_equal(panelimage_magnification(sample->data, sample->size, half), 2);
		assert_int_equal(panelimage_magnification(sample->data, sample->size, flat), 0);
		assert_int_equal(panelimage_magnification(sample->data, 9, panel), 0);
	}
	assert_int_equal(panelimage_magnification((const uint8_t *)"no image", 8, panel), 0);
}

TEST(test_converted)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];
		enum panelimage_progress progress = PANELIMAGE_MORE;
		struct panelimage_result result;
		struct panelimage_error error;
		struct panelimage_info info;
		struct panelimage_conversion *conversion =
		    panelimage_conversion_new_magnified(sample->data, sample->size, half, &error);

		assert_non_null(conversion);
		while (progress == PANELIMAGE_MORE)
			progress = panelimage_conversion_step(conversion, &result, &error);
		assert_int_equal(progress, PANELIMAGE_DONE);
		panelimage_conversion_free(conversion);
		assert_int_equal(
		    panelimage_probe_webp(result.data, result.size, half, &info, &error), 0);
		assert_int_equal(info.frame_count, sample->frame_count);
		assert_int_equal(info.duration_ms, sample->duration_ms);
		panelimage_result_finish(&result);
	}
}

TEST(test_other_sides)
{
	const struct sample *sample = &samples[0];
	struct panelimage_result result;
	struct panelimage_error error;
	struct panelimage_conversion *conversion =
	    panelimage_conversion_new_magnified(sample->data, sample->size, flat, &error);

	assert_non_null(conversion);
	assert_int_equal(panelimage_conversion_step(conversion, &result, &error),
			 PANELIMAGE_FAILED);
	assert_string_equal(error.text, "image is 64x32 pixels, must be 64x16");
	panelimage_conversion_free(conversion);
}

RUN_TESTS(NULL, NULL)
