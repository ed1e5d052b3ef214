#include "domain/timezone.h"

#include "../cmocka_test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
	const char *zone;
	int64_t wall_s;
	int offset_s;
} vectors[] = {
#include "timezone_vectors.inc"
};

enum { VECTORS = sizeof(vectors) / sizeof(vectors[0]) };

static void offsets_are_those_of_python(void **state)
{
	(void)state;
	assert_true(VECTORS > 40);
	for (unsigned i = 0; i < VECTORS; i++)
		assert_int_equal(timezone_offset_s(vectors[i].zone, vectors[i].wall_s),
				 vectors[i].offset_s);
	/* In any order, from the cache or not. */
	for (unsigned i = 0; i < 20 * VECTORS; i++) {
		unsigned which = (i * 2654435761u) % VECTORS;

		assert_int_equal(timezone_offset_s(vectors[which].zone, vectors[which].wall_s),
				 vectors[which].offset_s);
	}
}

static void unknown_zones_are_utc(void **state)
{
	static const char *const zones[] = {
	    "", "Nowhere/Here", "../../etc/passwd", "/etc/passwd", "Europe", "europe/zagreb"};
	char long_name[300];

	(void)state;
	for (unsigned i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
		assert_int_equal(timezone_offset_s(zones[i], 1795176000), 0);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(timezone_offset_s(long_name, 1795176000), 0);
}

/* Looking something up leaves no trace in the process. */
static void environment_stays(void **state)
{
	struct tm local;
	time_t moment = 1795176000;

	(void)state;
	assert_int_equal(timezone_offset_s("Pacific/Apia", moment), 13 * 3600);
	tzset();
	localtime_r(&moment, &local);
	assert_int_equal(local.tm_gmtoff, 0);
}

static void more_zones_than_the_cache_holds(void **state)
{
	char name[32];

	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 2000; i++) {
			snprintf(name, sizeof(name), "Invented/Zone%u", i);
			assert_int_equal(timezone_offset_s(name, 1795176000), 0);
		}
		assert_int_equal(timezone_offset_s("Asia/Kolkata", 1795176000), 19800);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(offsets_are_those_of_python),
	    cmocka_unit_test(unknown_zones_are_utc),
	    cmocka_unit_test(environment_stays),
	    cmocka_unit_test(more_zones_than_the_cache_holds),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
