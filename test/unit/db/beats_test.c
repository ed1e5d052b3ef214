/* Judges writers by rows as the database returns them, on the test's own clocks. */
#include "../cmocka_test.h"
#include "beats.h"
#include "db/result.h"
#include "hint_statements.h"

#include <libpq-fe.h>

enum { SECOND_US = 1000 * 1000, COLUMNS_BYTES = 16 };

static struct beats beats;
static int64_t clock_us; /* the database's */
static uint64_t now_ms;	 /* the loop's */

struct row {
	uint8_t instance;
	int64_t through_us, seen_us;
	bool has_left;
};

static void put(PGresult *result, int row, int column, uint64_t value, unsigned size)
{
	char bytes[COLUMNS_BYTES] = {0};

	for (unsigned i = 0; i < size && i < sizeof(value); i++)
		bytes[size - 1 - i] = (char)(value >> (8 * i));
	assert_true(PQsetvalue(result, row, column, bytes, (int)size));
}

/* Takes the rows of a look that took 10 ms. */
static void look(const struct row *rows, unsigned count)
{
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	PGresAttDesc columns[LOOK_COLUMNS] = {0};
	struct db_result taken;

	for (unsigned i = 0; i < LOOK_COLUMNS; i++) {
		columns[i].name = (char *)"x";
		columns[i].format = 1;
	}
	assert_true(PQsetResultAttrs(result, LOOK_COLUMNS, columns));
	put(result, 0, LOOK_CLOCK, (uint64_t)clock_us, 8);
	for (unsigned i = 0; i < count; i++) {
		put(result, (int)i + 1, LOOK_INSTANCE, rows[i].instance, 16);
		put(result, (int)i + 1, LOOK_WORKER, 1, 4);
		put(result, (int)i + 1, LOOK_THROUGH, (uint64_t)rows[i].through_us, 8);
		put(result, (int)i + 1, LOOK_SEEN, (uint64_t)rows[i].seen_us, 8);
		put(result, (int)i + 1, LOOK_LEFT, rows[i].has_left, 1);
	}
	taken = result_rows(result);
	beats_take(&beats, &taken, now_ms - 10, now_ms);
	PQclear(result);
}

static void look_at(int64_t through_us, int64_t seen_us)
{
	look(&(struct row){.instance = 1, .through_us = through_us, .seen_us = seen_us}, 1);
}

static void pass_s(unsigned s)
{
	now_ms += s * UINT64_C(1000);
	clock_us += (int64_t)s * SECOND_US;
}

static int begin(void **state)
{
	(void)state;
	now_ms = 1000 * 1000;
	clock_us = INT64_C(1000) * SECOND_US;
	return 0;
}

static int finish(void **state)
{
	(void)state;
	beats_finish(&beats);
	return 0;
}

#define SCENE(test) TEST_IN(test, begin, finish)

SCENE(without_others_only_the_look_counts)
{
	assert_int_equal(beats_through_ms(&beats), 0);
	look(NULL, 0);
	assert_int_equal(beats_through_ms(&beats), now_ms - 10);
	assert_false(beats_know_others(&beats));
	assert_int_equal(beats_clock_us(&beats, now_ms - 5), clock_us - 5000);
}

SCENE(the_oldest_beat_counts)
{
	const struct row rows[] = {
	    {.instance = 1, .through_us = clock_us - 200 * 1000, .seen_us = clock_us},
	    {.instance = 2, .through_us = clock_us - 300 * 1000, .seen_us = clock_us},
	    {.instance = 3, .through_us = clock_us - 100 * 1000, .seen_us = clock_us},
	};

	look(rows, array_length(rows));
	assert_true(beats_know_others(&beats));
	assert_int_equal(beats_through_ms(&beats), now_ms - 310);
}

SCENE(a_beat_gets_old_by_either_clock)
{
	int64_t beat_us = clock_us;

	look_at(beat_us, beat_us);
	pass_s(1);
	look_at(beat_us, clock_us);
	assert_int_equal(beats_through_ms(&beats), now_ms - 1010);
	/* The database's clock is set back. */
	clock_us -= 3600 * INT64_C(1000) * 1000;
	look_at(beat_us, beat_us);
	assert_int_equal(beats_through_ms(&beats), now_ms - 1010);
	look_at(clock_us, clock_us);
	assert_int_equal(beats_through_ms(&beats), now_ms - 10);
}

SCENE(a_silent_writer_is_forgotten_after_a_minute)
{
	int64_t begun_us = clock_us;

	look_at(begun_us, begun_us);
	for (unsigned s = 1; s < 60; s++) {
		pass_s(1);
		/* Its row may be lost in a crash of the database. */
		if (s % 2)
			look(NULL, 0);
		else
			look_at(begun_us, begun_us);
		assert_true(beats_know_others(&beats));
		assert_true(beats_through_ms(&beats) < now_ms - 10);
	}
	pass_s(1);
	look(NULL, 0);
	assert_false(beats_know_others(&beats));
	look_at(begun_us, begun_us);
	assert_false(beats_know_others(&beats));
}

SCENE(a_writer_that_is_seen_is_not_forgotten)
{
	int64_t begun_us = clock_us;

	for (unsigned s = 0; s < 300; s += 20) {
		look_at(begun_us, clock_us);
		assert_true(beats_know_others(&beats));
		pass_s(20);
	}
	assert_true(beats_through_ms(&beats) < now_ms - 280 * 1000);
}

SCENE(a_writer_that_left_is_not_missed)
{
	struct row row = {.instance = 1, .through_us = clock_us, .seen_us = clock_us};

	look(&row, 1);
	pass_s(5);
	row.has_left = true;
	look(&row, 1);
	assert_false(beats_know_others(&beats));
	assert_int_equal(beats_through_ms(&beats), now_ms - 10);
}

SCENE(too_many_are_not_trusted)
{
	static struct row rows[BEAT_WRITERS_MAX + 1];

	for (unsigned i = 0; i < array_length(rows); i++)
		rows[i] = (struct row){
		    .instance = (uint8_t)(i / 5), .through_us = clock_us, .seen_us = clock_us};
	look(rows, array_length(rows));
	assert_int_equal(beats_through_ms(&beats), 0);
	look(rows, 1);
	pass_s(60);
	look(NULL, 0);
	assert_int_equal(beats_through_ms(&beats), now_ms - 10);
}

SCENE(times_may_be_any)
{
	const int64_t times[] = {INT64_MIN, INT64_MIN + 1, 0, INT64_MAX - 1, INT64_MAX};

	for (unsigned i = 0; i < array_length(times); i++) {
		for (unsigned j = 0; j < array_length(times); j++) {
			look_at(times[i], times[j]);
			clock_us = times[i];
			assert_true(beats_through_ms(&beats) <= now_ms - 10);
		}
	}
}

RUN_TESTS(NULL, NULL)
