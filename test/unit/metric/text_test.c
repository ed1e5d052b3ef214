/* Prometheus' text: names, labels and their escapes, cumulative buckets, seconds. */
#include "../cmocka_test.h"
#include "base/buffer.h"
#include "metric/read.h"
#include "slot.h"

#include <sys/mman.h>
#include <unistd.h>

enum { WORKERS = 2 };

static struct region_map *map;
static struct metric_reader reader;
static struct buffer text;

static int open_map(void **state)
{
	static const struct region *const regions[] = {&metric_region};

	(void)state;
	map = region_map_create(regions, 1, WORKERS);
	reader = (struct metric_reader){.shared = map, .workers = WORKERS, .now_ms = 1};
	metric_attach(map, 0);
	metric_beat(1);
	return 0;
}

static int close_map(void **state)
{
	(void)state;
	region_map_destroy(map);
	buffer_finish(&text);
	return 0;
}

static void write_text(void)
{
	buffer_clear(&text);
	metric_write_text(&reader, &text);
	buffer_append_char(&text, '\0');
}

/* Whether the line is there, exactly once. */
static bool has_line(const char *line)
{
	char whole[512];
	const char *found;

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	found = strstr(text.data, whole);
	return found && !strstr(found + 1, whole);
}

TEST_IN(numbers_are_shown, open_map, close_map)
{
	metric_add(METRIC_HTTP_ACCEPTED, 0, 3);
	metric_attach(map, 1);
	metric_beat(1);
	metric_add(METRIC_HTTP_ACCEPTED, 0, 4);
	metric_set(METRIC_HTTP_IN_FLIGHT, 0, -2);
	write_text();
	assert_true(has_line("# TYPE displayd_http_connections_accepted_total counter"));
	assert_true(has_line("displayd_http_connections_accepted_total 7"));
	assert_true(has_line("# TYPE displayd_http_requests_in_flight gauge"));
	assert_true(has_line("displayd_http_requests_in_flight -2"));
	assert_true(has_line("displayd_http_connections{kind=\"websocket\"} 0"));
}

TEST_IN(routes_are_named, open_map, close_map)
{
	unsigned label;

	metric_name_route(9, "PUT", "/a/{b}");
	label = metric_pair(METRIC_HTTP_REQUESTS, 9, metric_status(201));
	metric_add(METRIC_HTTP_REQUESTS, label, 5);
	metric_observe(METRIC_HTTP_DURATION, 9, 1);
	metric_add(METRIC_HTTP_REQUESTS,
		   metric_pair(METRIC_HTTP_REQUESTS, METRIC_ROUTE_UNKNOWN + 2, metric_status(777)),
		   1);
	metric_observe(METRIC_HTTP_DURATION, METRIC_ROUTE_UNKNOWN + 2, 1);
	write_text();
	assert_true(has_line(
	    "displayd_http_requests_total{route=\"/a/{b}\",method=\"PUT\",status=\"201\"} 5"));
	assert_true(has_line("displayd_http_requests_total{route=\"unknown\",method=\"POST\","
			     "status=\"other\"} 1"));
	/* Counters of zero are omitted. */
	assert_null(strstr(text.data, "status=\"202\""));
}

TEST_IN(labels_are_escaped, open_map, close_map)
{
	metric_name_route(8, "GET", "/\"\\\n");
	metric_add(METRIC_HTTP_REQUESTS, metric_pair(METRIC_HTTP_REQUESTS, 8, metric_status(200)),
		   1);
	metric_observe(METRIC_HTTP_DURATION, 8, 1);
	write_text();
	assert_true(has_line("displayd_http_requests_total{route=\"/\\\"\\\\\\n\",method=\"GET\","
			     "status=\"200\"} 1"));
}

TEST_IN(histograms_add_up, open_map, close_map)
{
	metric_name_route(8, "GET", "/x");
	metric_observe(METRIC_HTTP_DURATION, 8, 50);
	metric_observe(METRIC_HTTP_DURATION, 8, 2000);
	metric_observe(METRIC_HTTP_DURATION, 8, 3000000);
	metric_observe(METRIC_HTTP_DURATION, 8, 60000000);
	write_text();
#define NAME "displayd_http_request_duration_seconds"
	assert_true(has_line(NAME "_bucket{route=\"/x\",method=\"GET\",le=\"0.0001\"} 1"));
	assert_true(has_line(NAME "_bucket{route=\"/x\",method=\"GET\",le=\"0.001\"} 1"));
	assert_true(has_line(NAME "_bucket{route=\"/x\",method=\"GET\",le=\"0.0025\"} 2"));
	assert_true(has_line(NAME "_bucket{route=\"/x\",method=\"GET\",le=\"10\"} 3"));
	assert_true(has_line(NAME "_bucket{route=\"/x\",method=\"GET\",le=\"+Inf\"} 4"));
	assert_true(has_line(NAME "_sum{route=\"/x\",method=\"GET\"} 63.00205"));
	assert_true(has_line(NAME "_count{route=\"/x\",method=\"GET\"} 4"));
#undef NAME
}

/* Whether memory was given for this cell of a worker; a look is enough to have it given. */
static bool has_memory(int worker, unsigned cell)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t address = (uintptr_t)&metric_slot(map, worker)->cells[cell];
	unsigned char is_there = 0;

	/* NOLINTNEXTLINE(performance-no-int-to-ptr): a page begins where no object does */
	assert_int_equal(mincore((void *)(address / size * size), 1, &is_there), 0);
	return is_there & 1;
}

/* A scrape reads only what was counted, not unused routes or places without a worker. */
TEST_IN(what_was_never_counted_is_not_read, open_map, close_map)
{
	unsigned used, unused;

	metric_name_route(9, "PUT", "/a/{b}");
	metric_name_route(METRIC_ROUTES_MAX - 1, "GET", "/never");
	used = metric_pair(METRIC_HTTP_REQUESTS, 9, metric_status(200));
	unused = metric_pair(METRIC_HTTP_REQUESTS, METRIC_ROUTES_MAX / 2, 0);
	metric_attach(map, 1);
	metric_beat(1);
	metric_add(METRIC_HTTP_REQUESTS, used, 1);
	metric_observe(METRIC_HTTP_DURATION, 9, 1);
	write_text();
	assert_true(has_line(
	    "displayd_http_requests_total{route=\"/a/{b}\",method=\"PUT\",status=\"200\"} 1"));
	assert_true(has_memory(1, metric_offset(METRIC_HTTP_REQUESTS) + used));
	assert_false(has_memory(1, metric_offset(METRIC_HTTP_REQUESTS) + unused));
	/* The slot was attached before the routes had names, which differ in older programs. */
	assert_false(has_memory(0, metric_offset(METRIC_HTTP_DURATION)));
	assert_false(has_memory(METRIC_SUPERVISOR, metric_offset(METRIC_STATEMENT_DURATION)));
}

RUN_TESTS(NULL, NULL)
