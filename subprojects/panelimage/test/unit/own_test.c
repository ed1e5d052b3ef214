/* Tests files that other programs of this project have made. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "panelimage/panelimage.h"
#include "samples.h"

static const struct panelimage_size panel = {64, 32};

static uint32_t converted_ms(struct panelimage_conversion *conversion)
{
	struct panelimage_result result = {0};
	struct panelimage_error error;
	uint32_t ms;

	assert_non_null(conversion);
	assert_int_equal(panelimage_conversion_finish(conversion, &result, &error), 0);
	ms = result.info.duration_ms;
	panelimage_result_finish(&result);
	return ms;
}

/* An app may show a frame for 5 ms; an untrusted file means 100 ms, as in browsers. */
TEST(test_own_frames_stay_short)
{
	struct panelimage_result gif;
	struct panelimage_error error;

	assert_int_equal(panelimage_convert(sample_gif, sizeof(sample_gif), panel, &gif, &error),
			 0);
	assert_int_equal(gif.info.frame_count, 3);
	for (size_t i = 0; i + 4 < gif.size; i++) {
		if (memcmp(gif.data + i, "ANMF", 4) == 0)
			memcpy(gif.data + i + 8 + 12, "\5\0", 3);
	}
	assert_int_equal(
	    converted_ms(panelimage_conversion_new_own(gif.data, gif.size, panel, &error)), 15);
	assert_int_equal(converted_ms(panelimage_conversion_new(gif.data, gif.size, panel, &error)),
			 300);
	panelimage_result_finish(&gif);
}

RUN_TESTS(NULL, NULL)
