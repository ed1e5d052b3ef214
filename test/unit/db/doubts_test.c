/* Processes of the server whose writes may still be committed. */
#include "../cmocka_test.h"
#include "db/writers.h"
#include "doubts.h"

#include <stdlib.h>

static struct writers *writers;
static struct doubts doubts;
static unsigned reports;

static void on_all(void *context)
{
	(void)context;
	reports++;
}

static const struct change_listener listener = {.on_all = on_all};

static struct backend backend_of(unsigned number)
{
	return (struct backend){.pid = (int32_t)number, .start_us = 1000 + number};
}

static void begin_worker(void)
{
	doubts = (struct doubts){.listener = &listener};
	doubts_init(&doubts);
	doubts_inherit(&doubts, writers);
}

/* Writes of the process have an unknown outcome. */
static void lose(unsigned number)
{
	writer_note(writers_slot(writers, WRITER_POOL), backend_of(number));
	doubts_finish(&doubts);
	begin_worker();
}

static int begin(void **state)
{
	(void)state;
	writers = calloc(1, writer_region.slot_size);
	begin_worker();
	reports = 0;
	return writers ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	doubts_finish(&doubts);
	free(writers);
	return 0;
}

static void answer(unsigned number, bool is_gone)
{
	struct backend backend = backend_of(number);

	doubts_answer(&doubts, &backend, is_gone);
}

static void a_doubt_ends_with_its_process(void **state)
{
	(void)state;
	assert_null(doubts_next(&doubts));
	lose(1);
	assert_int_equal(doubts_next(&doubts)->pid, 1);
	assert_int_equal(reports, 1);
	answer(1, false);
	assert_int_equal(doubts_next(&doubts)->pid, 1);
	answer(1, true);
	assert_null(doubts_next(&doubts));
	assert_int_equal(reports, 2);
	begin_worker();
	assert_null(doubts_next(&doubts));
}

/* It may be killed while the process still runs. */
static void a_doubt_outlives_its_worker(void **state)
{
	(void)state;
	lose(1);
	lose(2);
	for (unsigned i = 0; i < 3; i++) {
		doubts_finish(&doubts);
		begin_worker();
		assert_int_equal(doubts.count, 2);
	}
	answer(2, true);
	answer(1, true);
	assert_null(doubts_next(&doubts));
}

/* Other doubts may have come or gone since the process was asked about. */
static void an_answer_counts_for_its_process(void **state)
{
	(void)state;
	lose(1);
	lose(2);
	answer(3, true);
	assert_int_equal(doubts.count, 2);
	answer(2, true);
	assert_int_equal(doubts.count, 1);
	assert_int_equal(doubts_next(&doubts)->pid, 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_doubt_ends_with_its_process),
	    TEST(a_doubt_outlives_its_worker),
	    TEST(an_answer_counts_for_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
