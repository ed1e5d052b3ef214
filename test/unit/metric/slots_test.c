/* Tests the slots in which processes count, what remains of ended ones, and the definitions. */
#include "../cmocka_test.h"
#include "definitions.h"
#include "metric/read.h"
#include "slot.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3, NOW_MS = 100000 };

static struct region_map *map;
static struct metric_reader reader;

static int open_map(void **state)
{
	static const struct region *const regions[] = {&metric_region};

	(void)state;
	map = region_map_create(regions, 1, WORKERS);
	reader = (struct metric_reader){.shared = map, .workers = WORKERS, .now_ms = NOW_MS};
	return map ? 0 : -1;
}

static int close_map(void **state)
{
	(void)state;
	region_map_destroy(map);
	return 0;
}

static int64_t total(enum metric metric, unsigned label)
{
	struct metric_sums sums;

	metric_sums_init(&sums, &reader);
	return metric_total(&sums, metric, label);
}

static void attach(int process)
{
	metric_attach(map, process);
	metric_beat(NOW_MS);
}

TEST(every_metric_is_defined)
{
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
		const struct metric_definition *one = &metric_definitions[metric];
		const char *name = one->name ? one->name : "", *help = one->help ? one->help : "";
		size_t length = strlen(name);
		bool is_total = length > 6 && strcmp(name + length - 6, "_total") == 0;

		assert_true(length > 0 && help[0] && help[strlen(help) - 1] == '.');
		assert_int_equal(is_total, one->kind == METRIC_COUNTER);
		assert_int_equal(one->buckets != NULL, one->kind == METRIC_HISTOGRAM);
		for (enum metric other = 0; other < metric; other++)
			assert_string_not_equal(name, metric_definitions[other].name);
	}
}

TEST(every_value_is_named)
{
	for (enum metric_by by = 1; by < METRIC_BY_COUNT; by++) {
		assert_non_null(metric_labels[by].names[0]);
		for (unsigned i = 0; i < metric_labels[by].count; i++)
			assert_non_null(metric_label_value(by, i, 0));
	}
}

TEST(metrics_lie_apart)
{
	for (enum metric metric = 0; metric + 1 < METRIC_COUNT; metric++)
		assert_int_equal(metric_offset(metric) + metric_size(metric),
				 metric_offset(metric + 1));
}

TEST_IN(processes_are_summed, open_map, close_map)
{
	for (int process = METRIC_SUPERVISOR; process < WORKERS; process++) {
		attach(process);
		metric_add(METRIC_HTTP_ACCEPTED, 0, 10);
		metric_set(METRIC_HTTP_CONNECTIONS, METRIC_CONNECTION_WEBSOCKET, process + 2);
	}
	assert_int_equal(total(METRIC_HTTP_ACCEPTED, 0), 40);
	assert_int_equal(total(METRIC_HTTP_CONNECTIONS, 1), 1 + 2 + 3 + 4);
	assert_int_equal(total(METRIC_HTTP_CONNECTIONS, 0), 0);
	assert_int_equal(metric_of_process(&reader, 1, METRIC_HTTP_CONNECTIONS, 1), 3);
}

TEST_IN(the_largest_one_counts, open_map, close_map)
{
	for (int process = 0; process < WORKERS; process++) {
		attach(process);
		metric_set(METRIC_LOOP_LONGEST, 0, process == 1 ? 7000 : 2000);
	}
	assert_int_equal(total(METRIC_LOOP_LONGEST, 0), 7000);
	assert_int_equal(metric_of_process(&reader, 2, METRIC_LOOP_LONGEST, 0), 2000);
}

TEST_IN(a_successor_goes_on, open_map, close_map)
{
	attach(0);
	metric_add(METRIC_HTTP_ACCEPTED, 0, 7);
	metric_observe(METRIC_HTTP_DURATION, 9, 3);
	metric_set(METRIC_HTTP_CONNECTIONS, 0, 5);
	attach(0);
	assert_int_equal(total(METRIC_HTTP_ACCEPTED, 0), 7);
	assert_int_equal(total(METRIC_HTTP_DURATION, 9 * metric_width(METRIC_HTTP_DURATION)), 1);
	assert_int_equal(total(METRIC_HTTP_CONNECTIONS, 0), 0);
}

/* Gauges of a dead process disappear; its counters stay. */
TEST_IN(the_dead_have_no_gauges, open_map, close_map)
{
	attach(2);
	metric_add(METRIC_HTTP_ACCEPTED, 0, 7);
	metric_set(METRIC_HTTP_CONNECTIONS, 0, 5);
	assert_true(metric_is_alive(&reader, 2));
	assert_false(metric_is_alive(&reader, 1));
	reader.now_ms = NOW_MS + METRIC_SILENT_MS;
	assert_false(metric_is_alive(&reader, 2));
	assert_int_equal(total(METRIC_HTTP_CONNECTIONS, 0), 0);
	assert_int_equal(total(METRIC_HTTP_ACCEPTED, 0), 7);
}

TEST_IN(a_killed_process_has_counted, open_map, close_map)
{
	pid_t pid = fork();

	if (pid == 0) {
		attach(1);
		metric_add(METRIC_HTTP_ACCEPTED, 0, 3);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(total(METRIC_HTTP_ACCEPTED, 0), 3);
}

static int64_t bucket(unsigned number)
{
	return total(METRIC_HTTP_DURATION, 8 * metric_width(METRIC_HTTP_DURATION) + number);
}

TEST_IN(values_fall_into_buckets, open_map, close_map)
{
	const struct metric_buckets *buckets = metric_definitions[METRIC_HTTP_DURATION].buckets;
	unsigned last = buckets->count - 1;

	attach(0);
	metric_observe(METRIC_HTTP_DURATION, 8, 0);
	metric_observe(METRIC_HTTP_DURATION, 8, buckets->bounds[0]);
	metric_observe(METRIC_HTTP_DURATION, 8, buckets->bounds[0] + 1);
	metric_observe(METRIC_HTTP_DURATION, 8, buckets->bounds[last]);
	metric_observe(METRIC_HTTP_DURATION, 8, buckets->bounds[last] + 1);
	assert_int_equal(bucket(0), 2);
	assert_int_equal(bucket(1), 1);
	assert_int_equal(bucket(last), 1);
	assert_int_equal(bucket(last + 1), 1); /* the rest */
	assert_int_equal(bucket(last + 2), 2 * buckets->bounds[0] + 2 * buckets->bounds[last] + 2);
	for (unsigned i = 1; i <= last; i++)
		assert_true(buckets->bounds[i] > buckets->bounds[i - 1]);
}

TEST_IN(statuses_have_labels, open_map, close_map)
{
	attach(0);
	for (int status = -1; status < 700; status++) {
		const char *text = metric_label_value(METRIC_BY_STATUS, metric_status(status), 0);
		bool is_other = strcmp(text, "other") == 0;

		assert_true(is_other || strtol(text, NULL, 10) == status);
	}
	assert_string_equal(metric_label_value(METRIC_BY_STATUS, metric_status(499), 0), "499");
	assert_int_equal(metric_status(418), 0);
}

RUN_TESTS(NULL, NULL)
