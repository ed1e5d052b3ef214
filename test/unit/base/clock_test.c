#include "../cmocka_test.h"
#include "base/clock.h"
#include "base/memory.h"
#include "vectors.h"

static void assert_timestamp(int64_t wall_us, const char *expected)
{
	char text[TIMESTAMP_LENGTH + 1];

	timestamp_format(wall_us, text);
	assert_string_equal(text, expected);
}

TEST(python_vectors)
{
	for (size_t i = 0; i < array_length(timestamp_vectors); i++)
		assert_timestamp(timestamp_vectors[i].wall_us, timestamp_vectors[i].text);
}

TEST(extremes_are_clamped)
{
	assert_timestamp(INT64_MIN, "0001-01-01T00:00:00.000Z");
	assert_timestamp(-62135596800000001, "0001-01-01T00:00:00.000Z");
	assert_timestamp(-62135596800000000, "0001-01-01T00:00:00.000Z");
	assert_timestamp(253402300799999999, "9999-12-31T23:59:59.999Z");
	assert_timestamp(253402300800000000, "9999-12-31T23:59:59.999Z");
	assert_timestamp(INT64_MAX, "9999-12-31T23:59:59.999Z");
}

TEST(a_time_that_there_is_not)
{
	static const char *const good[] = {"2026-11-20T08:15:30.123Z", "2024-02-29T23:59:59.999Z",
					   "2000-02-29T00:00:00.000Z", "0001-01-01T00:00:00.000Z",
					   "9999-12-31T23:59:59.999Z"};
	static const char *const bad[] = {"",
					  "2026-11-20T08:15:30Z",
					  "2026-11-20T08:15:30.123+",
					  "2026-13-01T00:00:00.000Z",
					  "2026-02-29T00:00:00.000Z",
					  "1900-02-29T00:00:00.000Z",
					  "2026-01-01T24:00:00.000Z",
					  "2026-01-01T00:60:00.000Z",
					  "2026-01-01T00:00:60.000Z",
					  "0000-01-01T00:00:00.000Z",
					  "2026- 1-01T00:00:00.000Z",
					  "+026-01-01T00:00:00.000Z",
					  "2026-01-01T00:00:00.-00Z",
					  "2026-01-01T00:00:00.0000"};

	for (size_t i = 0; i < array_length(good); i++)
		assert_true(timestamp_is_valid(str_from(good[i])));
	for (size_t i = 0; i < array_length(bad); i++)
		assert_false(timestamp_is_valid(str_from(bad[i])));
	for (size_t i = 0; i < array_length(timestamp_vectors); i++)
		assert_true(timestamp_is_valid(str_from(timestamp_vectors[i].text)));
}

TEST(a_time_with_fewer_or_more_digits)
{
	static const struct {
		const char *text, *whole;
	} good[] = {{"2026-11-20T08:15:30Z", "2026-11-20T08:15:30.000Z"},
		    {"2026-11-20T08:15:30.5Z", "2026-11-20T08:15:30.500Z"},
		    {"2026-11-20T08:15:30.123Z", "2026-11-20T08:15:30.123Z"},
		    {"2026-11-20T08:15:30.123987Z", "2026-11-20T08:15:30.123Z"},
		    {"2026-11-20T08:15:30.0009999999999Z", "2026-11-20T08:15:30.000Z"}};
	static const char *const bad[] = {"",
					  "Z",
					  "2026-11-20T08:15Z",
					  "2026-11-20T08:15:30",
					  "2026-11-20T08:15:30.Z",
					  "2026-11-20T08:15:30.1234",
					  "2026-11-20T08:15:30.123 Z",
					  "2026-11-20T08:15:30.123+Z",
					  "2026-11-20T08:15:30.ZZ",
					  "2026-11-20T08:15:30,5Z",
					  "2026-02-29T00:00:00Z"};
	int64_t wall_us;

	for (size_t i = 0; i < array_length(good); i++) {
		assert_true(timestamp_read(str_from(good[i].text), &wall_us));
		assert_timestamp(wall_us, good[i].whole);
	}
	for (size_t i = 0; i < array_length(bad); i++)
		assert_false(timestamp_read(str_from(bad[i]), &wall_us));
}

TEST(monotonic_never_goes_back)
{
	uint64_t last = clock_monotonic_us();

	for (int i = 0; i < 10000; i++) {
		uint64_t now = clock_monotonic_us();

		assert_true(now >= last);
		last = now;
	}
	assert_true(clock_monotonic_ms() >= last / 1000);
}

TEST(wall_clock_is_in_this_century)
{
	assert_true(clock_wall_us() > 1700000000000000);
	assert_true(clock_wall_us() < 4102444800000000);
}

RUN_TESTS(NULL, NULL)
