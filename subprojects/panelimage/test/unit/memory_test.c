/* Fails every allocation once, here and in the libraries: the answer must be an error or the
 * result, and all memory must be freed. WebP as input is left out: the decoder of libwebp 1.2.4
 * uses a table that it could not allocate. */
#include "test.h"

#ifdef OWN_MALLOC

#include "../heap.h"
#include "panelimage/panelimage.h"
#include "samples.h"

static const struct panelimage_size panel = {64, 32};

static void assert_survives(const uint8_t *data, size_t size)
{
	struct panelimage_result result;
	struct panelimage_error error;
	unsigned long failures = 0;
	unsigned long total;

	heap_start(0);
	assert_int_equal(panelimage_convert(data, size, panel, &result, &error), 0);
	total = heap_allocations();
	panelimage_result_finish(&result);
	for (unsigned long i = 1; i <= total; i++) {
		size_t before = heap_in_use_bytes();

		result = (struct panelimage_result){0};
		heap_start(i);
		if (panelimage_convert(data, size, panel, &result, &error)) {
			failures++;
			assert_null(result.data);
			assert_true(error.out_of_memory);
		}
		heap_start(0);
		panelimage_result_finish(&result);
		assert_int_equal(heap_in_use_bytes(), before);
	}
	assert_true(failures > total / 2);
}

TEST(test_every_allocation)
{
	assert_survives(sample_png, sizeof(sample_png));
	assert_survives(sample_gif, sizeof(sample_gif));
	assert_survives(sample_webp, sizeof(sample_webp));
	assert_survives(sample_webp_alpha, sizeof(sample_webp_alpha));
}

#else

static void test_every_allocation(void **state)
{
	(void)state;
	skip();
}

#endif

RUN_TESTS(NULL, NULL)
