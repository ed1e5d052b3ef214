/* Stills of pictures. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "panelimage/panelimage.h"
#include "samples.h"

enum { PIXELS = 64 * 32, FRAME_BYTES = PIXELS * 3, FRAMES_MAX = 4 };

static const struct panelimage_size panel = {64, 32};

struct frames {
	unsigned count;
	size_t lit[FRAMES_MAX];
	uint8_t rgb[FRAMES_MAX][FRAME_BYTES];
};

static bool keep(const uint8_t *rgb, uint32_t duration_ms, void *user)
{
	struct frames *frames = user;

	(void)duration_ms;
	assert_true(frames->count < FRAMES_MAX);
	for (size_t i = 0; i < PIXELS; i++)
		frames->lit[frames->count] +=
		    rgb[i * 3] >= 32 || rgb[i * 3 + 1] >= 32 || rgb[i * 3 + 2] >= 32;
	memcpy(frames->rgb[frames->count++], rgb, FRAME_BYTES);
	return true;
}

static struct frames decoded(const uint8_t *data, size_t size)
{
	struct frames frames = {0};
	struct panelimage_error error;

	assert_int_equal(panelimage_decode(data, size, panel, keep, &frames, &error), 0);
	return frames;
}

/* Returns the number of the frame that the still shows, exactly; -1: none. */
static int shown(const struct frames *frames, const struct panelimage_result *still)
{
	struct frames one = decoded(still->data, still->size);

	assert_int_equal(one.count, 1);
	for (unsigned i = 0; i < frames->count; i++)
		if (memcmp(frames->rgb[i], one.rgb[0], FRAME_BYTES) == 0)
			return (int)i;
	return -1;
}

TEST(test_the_fullest_frame)
{
	struct frames frames = decoded(sample_gif, sizeof(sample_gif));
	struct panelimage_result still;
	struct panelimage_error error;
	int fullest = 0;

	assert_int_equal(frames.count, 3);
	for (int i = 1; i < 3; i++)
		if (frames.lit[i] > frames.lit[fullest])
			fullest = i;
	assert_int_equal(
	    panelimage_still(sample_gif, sizeof(sample_gif), panel, 2048, &still, &error), 0);
	assert_in_range(still.size, 1, 2048);
	assert_int_equal(still.info.frame_count, 1);
	assert_int_equal(shown(&frames, &still), fullest);
	panelimage_result_finish(&still);
}

TEST(test_fewer_bytes)
{
	struct frames frames = decoded(sample_png, sizeof(sample_png));
	struct panelimage_result still;
	struct panelimage_error error;
	size_t whole;

	assert_int_equal(
	    panelimage_still(sample_png, sizeof(sample_png), panel, 8192, &still, &error), 0);
	assert_int_equal(shown(&frames, &still), 0);
	whole = still.size;
	panelimage_result_finish(&still);
	assert_int_equal(
	    panelimage_still(sample_png, sizeof(sample_png), panel, whole - 1, &still, &error), 0);
	assert_true(still.size < whole);
	assert_int_equal(shown(&frames, &still), -1);
	panelimage_result_finish(&still);
	assert_int_equal(
	    panelimage_still(sample_png, sizeof(sample_png), panel, 20, &still, &error), -1);
	assert_string_equal(error.text, "a still takes more than 20 bytes");
	assert_false(error.out_of_memory);
}

TEST(test_no_picture)
{
	struct panelimage_result still;
	struct panelimage_error error;

	assert_int_equal(panelimage_still((const uint8_t *)"RIFF", 4, panel, 2048, &still, &error),
			 -1);
	assert_true(error.text[0]);
}

RUN_TESTS(NULL, NULL)
