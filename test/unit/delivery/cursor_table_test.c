#include "../cmocka_test.h"
#include "base/memory.h"
#include "delivery/cursor_table.h"

#include <stdlib.h>
#include <string.h>

static struct cursor_table *table;

static int set_up(void **state)
{
	(void)state;
	table = memory_zalloc(cursor_region.size);
	cursor_region.init(table);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(table);
	return 0;
}

static struct id id_of(unsigned number)
{
	struct id id = {0};

	memcpy(id.bytes, &number, sizeof(number));
	return id;
}

static void an_unknown_device_starts_anew(void **state)
{
	struct poll_cursor cursor = cursor_get(table, id_of(1));

	(void)state;
	assert_int_equal(cursor.position, -1);
	assert_int_equal(cursor.push_seen, 0);
	assert_int_equal(cursor.remaining_s, 0);
	assert_int_equal(cursor_shown_us(table, id_of(1), 0), 0);
}

static void what_is_set_is_there(void **state)
{
	struct poll_cursor cursor = {
	    .position = 7, .push_seen = 9, .remaining_s = 86400, .remains_of_push = true};
	struct poll_cursor found;

	(void)state;
	cursor_set(table, id_of(1), &cursor);
	found = cursor_get(table, id_of(1));
	assert_int_equal(found.position, 7);
	assert_int_equal(found.push_seen, 9);
	assert_int_equal(found.remaining_s, 86400);
	assert_true(found.remains_of_push);
	assert_int_equal(cursor_get(table, id_of(2)).position, -1);
}

static void a_move_ends_what_remains(void **state)
{
	struct poll_cursor cursor = {.position = 7, .push_seen = 9, .remaining_s = 100};

	(void)state;
	cursor_set(table, id_of(1), &cursor);
	cursor_move(table, id_of(1), 8);
	assert_int_equal(cursor_get(table, id_of(1)).position, 8);
	assert_int_equal(cursor_get(table, id_of(1)).push_seen, 9);
	assert_int_equal(cursor_get(table, id_of(1)).remaining_s, 0);
}

static void a_push_is_shown_from_when_it_was(void **state)
{
	(void)state;
	cursor_set_shown(table, id_of(1), 5, 123456);
	assert_int_equal(cursor_shown_us(table, id_of(1), 5), 123456);
	assert_int_equal(cursor_shown_us(table, id_of(1), 4), 0);
	assert_int_equal(cursor_shown_us(table, id_of(2), 5), 0);
	assert_int_equal(cursor_get(table, id_of(1)).position, -1);
}

static void what_was_used_last_stays(void **state)
{
	enum { DEVICES = 200 * 1000 };
	unsigned known = 0;

	(void)state;
	for (unsigned i = 0; i < DEVICES; i++)
		cursor_move(table, id_of(i), i);
	for (unsigned i = DEVICES - 100; i < DEVICES; i++)
		known += cursor_get(table, id_of(i)).position == i;
	assert_int_equal(known, 100);
	for (unsigned i = 0; i < DEVICES; i++) {
		int64_t position = cursor_get(table, id_of(i)).position;

		assert_true(position == -1 || position == i);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(an_unknown_device_starts_anew), TEST(what_is_set_is_there),
	    TEST(a_move_ends_what_remains),	 TEST(a_push_is_shown_from_when_it_was),
	    TEST(what_was_used_last_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
