/* Processes of the server whose writes may still be committed. */
#include "../cmocka_test.h"
#include "db/writers.h"
#include "doubts.h"

#include <stdlib.h>

static struct writers *writers;
static struct doubts doubts;
static unsigned reports;
static int rows_in_doubt;

static void on_all(void *context)
{
	(void)context;
	reports++;
}

static void on_doubt(void *context, struct id id, bool is_in_doubt)
{
	(void)context;
	(void)id;
	rows_in_doubt += is_in_doubt ? 1 : -1;
}

static const struct change_listener listener = {.on_all = on_all, .on_doubt = on_doubt};

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
	rows_in_doubt = 0;
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

#define SCENE(test) TEST_IN(test, begin, finish)

SCENE(a_doubt_ends_with_its_process)
{
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
SCENE(a_doubt_outlives_its_worker)
{
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
SCENE(an_answer_counts_for_its_process)
{
	lose(1);
	lose(2);
	answer(3, true);
	assert_int_equal(doubts.count, 2);
	answer(2, true);
	assert_int_equal(doubts.count, 1);
	assert_int_equal(doubts_next(&doubts)->pid, 1);
}

/* A write of a row was under way on a lost connection. */
static void take(unsigned number)
{
	static const struct statement_change change = {.index = 0};
	static const struct statement_entry statement = {.changes = &change, .change_count = 1};
	struct id row = {.bytes = {(uint8_t)number, (uint8_t)(number >> 8)}};
	struct arena arena = {0};
	struct db_query query;
	struct doubt *doubt = NULL;

	db_query_init(&query, &arena);
	db_add_id(&query.parameters, row);
	doubt_add(&doubt, &statement, &query);
	doubts_take(&doubts, &doubt, backend_of(number));
	arena_finish(&arena);
}

/* Ends all processes that are in doubt. Returns their number. */
static unsigned end_all(void)
{
	unsigned ended = 0;

	for (const struct backend *next; (next = doubts_next(&doubts)); ended++)
		answer((unsigned)next->pid, true);
	return ended;
}

/* A row is not answered from memory while its process may commit. */
SCENE(no_doubt_ends_since_there_are_many)
{
	enum { LOST = 3 * DOUBTS_WITH_ROWS_MAX };

	for (unsigned i = 1; i <= LOST; i++)
		take(i);
	assert_int_equal(rows_in_doubt, DOUBTS_WITH_ROWS_MAX);
	reports = 0;
	doubts_repeat(&doubts);
	assert_int_equal(reports, LOST - DOUBTS_WITH_ROWS_MAX);
	assert_int_equal(end_all(), LOST);
	assert_int_equal(rows_in_doubt, 0);
	reports = 0;
	doubts_repeat(&doubts);
	assert_int_equal(reports, 0);
}

SCENE(too_many_doubts_concern_all_rows_until_all_have_ended)
{
	for (unsigned i = 1; i <= DOUBTS_MAX + 1; i++)
		take(i);
	assert_int_equal(doubts.count, DOUBTS_MAX);
	for (unsigned i = 1; i < DOUBTS_MAX; i++)
		answer(i, true);
	reports = 0;
	doubts_repeat(&doubts);
	assert_true(reports > 1);
	assert_int_equal(end_all(), 1);
	reports = 0;
	doubts_repeat(&doubts);
	assert_int_equal(reports, 0);
}

RUN_TESTS(NULL, NULL)
