/* Several threads convert at once: each gets the bytes that one alone would. */
#include "test.h"

#include <pthread.h>
#include <string.h>

#include "panelimage/panelimage.h"
#include "samples.h"

enum { THREADS = 4, ROUNDS = 50, SAMPLES = 4 };

static const struct panelimage_size panel = {64, 32};

struct job {
	const struct panelimage_result *expected; /* SAMPLES of them */
	int wrong;
};

static const uint8_t *const sample_data[SAMPLES] = {sample_png, sample_gif, sample_webp,
						    sample_webp_alpha};
static const size_t sample_size[SAMPLES] = {sizeof(sample_png), sizeof(sample_gif),
					    sizeof(sample_webp), sizeof(sample_webp_alpha)};

static void *convert_all(void *user)
{
	struct job *job = user;

	for (int i = 0; i < ROUNDS * SAMPLES; i++) {
		const struct panelimage_result *expected = &job->expected[i % SAMPLES];
		struct panelimage_result result = {0};
		struct panelimage_error error;

		if (panelimage_convert(sample_data[i % SAMPLES], sample_size[i % SAMPLES], panel,
				       &result, &error) ||
		    result.size != expected->size ||
		    memcmp(result.data, expected->data, result.size) != 0)
			job->wrong++;
		panelimage_result_finish(&result);
	}
	return NULL;
}

TEST(test_threads)
{
	struct panelimage_result expected[SAMPLES];
	struct panelimage_error error;
	struct job job[THREADS];
	pthread_t thread[THREADS];

	for (int i = 0; i < SAMPLES; i++)
		assert_int_equal(
		    panelimage_convert(sample_data[i], sample_size[i], panel, &expected[i], &error),
		    0);
	for (int i = 0; i < THREADS; i++) {
		job[i] = (struct job){.expected = expected};
		assert_int_equal(pthread_create(&thread[i], NULL, convert_all, &job[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		assert_int_equal(job[i].wrong, 0);
	}
	for (int i = 0; i < SAMPLES; i++)
		panelimage_result_finish(&expected[i]);
}

RUN_TESTS(NULL, NULL)
