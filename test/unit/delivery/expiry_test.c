/* Expired entries are removed portion by portion. */
#include "served.h"

enum { INTERVAL_MS = 30 * 1000 };

static void answer_expired(const struct script_device *device, bool is_full)
{
	begin_rows(3);
	add_bytes(device->id.bytes, ID_BYTES);
	add_integer(device->generation);
	add_bool(is_full);
	answer(asked(STATEMENT_DEVICES_EXPIRE));
	run_turns();
}

static int begin(void **state)
{
	entries_expire = true;
	return serve_begin(state);
}

#define SCENE(function) TEST_IN(function, begin, serve_end)

SCENE(entries_go_until_none_is_left)
{
	struct script_device *one = add_device(), *other = add_device();

	one->generation = other->generation = 7;
	pass_ms(INTERVAL_MS);
	hints_sent();
	answer_expired(one, true);
	assert_non_null(strstr(hints_sent(), "device:01000000-0000-0000-0000-000000000001:7 "));
	answer_expired(other, true);
	assert_non_null(strstr(hints_sent(), "device:02000000-0000-0000-0000-000000000001:7 "));
	answer_expired(one, false);
	assert_int_equal(asked_count(STATEMENT_DEVICES_EXPIRE), 0);
	pass_ms(INTERVAL_MS);
	assert_int_equal(asked_count(STATEMENT_DEVICES_EXPIRE), 1);
	answer_expired(one, false);
}

/* Other transactions have locked the rest, or the database is unavailable. */
SCENE(without_progress_it_waits)
{
	pass_ms(INTERVAL_MS);
	begin_rows(3);
	answer(asked(STATEMENT_DEVICES_EXPIRE));
	run_turns();
	assert_int_equal(asked_count(STATEMENT_DEVICES_EXPIRE), 0);
	pass_ms(INTERVAL_MS);
	answer_nothing(asked(STATEMENT_DEVICES_EXPIRE), DB_UNAVAILABLE);
	run_turns();
	assert_int_equal(asked_count(STATEMENT_DEVICES_EXPIRE), 0);
}

SCENE(a_draining_worker_begins_no_more)
{
	struct script_device *device = add_device();

	pass_ms(INTERVAL_MS);
	delivery_drain(served);
	answer_expired(device, true);
	assert_int_equal(asked_count(STATEMENT_DEVICES_EXPIRE), 0);
}

RUN_TESTS(NULL, NULL)
