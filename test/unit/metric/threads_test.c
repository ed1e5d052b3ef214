/* Counting while other threads read: no race (the suite also runs under ThreadSanitizer), and no
 * number that decreases. */
#include "../cmocka_test.h"
#include "base/buffer.h"
#include "metric/read.h"

#include <pthread.h>

enum { ROUNDS = 20000, READERS = 2 };

static struct region_map *map;
static atomic_bool is_over;

static int64_t accepted(void)
{
	const struct metric_reader reader = {.shared = map, .workers = 1, .now_ms = 1};
	struct metric_sums sums;

	metric_sums_init(&sums, &reader);
	return metric_total(&sums, METRIC_HTTP_ACCEPTED, 0);
}

static void *read_all(void *argument)
{
	const struct metric_reader reader = {.shared = map, .workers = 1, .now_ms = 1};
	struct buffer text = {0};
	int64_t before = 0;

	while (!atomic_load(&is_over)) {
		int64_t now = accepted();

		*(bool *)argument |= now < before;
		before = now;
		buffer_clear(&text);
		metric_write_text(&reader, &text);
	}
	buffer_finish(&text);
	return NULL;
}

TEST(others_read)
{
	static const struct region *const regions[] = {&metric_region};
	pthread_t threads[READERS];
	bool has_fallen[READERS] = {0};

	map = region_map_create(regions, 1, 1);
	metric_attach(map, 0);
	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_all, &has_fallen[i]), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		metric_add(METRIC_HTTP_ACCEPTED, 0, 1);
		metric_observe(METRIC_HTTP_DURATION, 0, i);
		metric_set(METRIC_HTTP_IN_FLIGHT, 0, i);
		metric_beat(1);
	}
	atomic_store(&is_over, true);
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(threads[i], NULL);
		assert_false(has_fallen[i]);
	}
	assert_int_equal(accepted(), ROUNDS);
	region_map_destroy(map);
}

RUN_TESTS(NULL, NULL)
