/* Tests when reports of panels and their MAC addresses are written. */
#include "panel_reports.h"
#include "script.h"

#include <stdio.h>

static struct panel_reports reports;

static int begin(void **state)
{
	script_begin(state);
	reports = (struct panel_reports){.loop = &script_loop, .db = script_db};
	panel_reports_init(&reports);
	hints_sent();
	return 0;
}

static int end(void **state)
{
	panel_reports_finish(&reports);
	return script_end(state);
}

static void tell(unsigned number, const char *mac, int64_t signal_dbm)
{
	struct panel_report report = {.firmware_version = STR("1.6.6"),
				      .wifi_signal_dbm = signal_dbm,
				      .mac_address = str_from(mac)};

	panel_reports_take(&reports, id_of(number), &report);
}

static void add_answer(unsigned number, bool is_mac_new, bool is_new)
{
	add_bytes(id_of(number).bytes, ID_BYTES);
	add_integer(7);
	add_bool(is_mac_new);
	add_bool(is_new);
}

/* Returns the IDs of the statement under way, and their signal strengths. */
static unsigned written(struct id *ret_ids, int64_t *ret_signals)
{
	const struct db_query *query = asked(STATEMENT_PANEL_TOLD);

	int8_array(query, 6, ret_signals);
	return id_array(query, 0, ret_ids);
}

#define SCENE(function) TEST_IN(function, begin, end)

SCENE(reports_are_written_together_the_newest_of_each)
{
	int64_t signals[300];
	struct id ids[300];

	tell(1, "", -50);
	tell(2, "", -51);
	tell(1, "", -60);
	pass_ms(499);
	assert_int_equal(asked_count(STATEMENT_PANEL_TOLD), 0);
	pass_ms(1);
	assert_int_equal(written(ids, signals), 2);
	assert_true(id_equal(ids[0], id_of(2)) && id_equal(ids[1], id_of(1)));
	assert_int_equal(signals[0], -51);
	assert_int_equal(signals[1], -60);
	begin_rows(4);
	add_answer(2, false, false);
	add_answer(1, false, true);
	answer(asked(STATEMENT_PANEL_TOLD));
	run_turns();
	assert_string_equal(hints_sent(), "device:01000000-0000-0000-0000-000000000001:7 ");
	assert_int_equal(asked_count(STATEMENT_PANEL_MAC), 0); /* no address was reported */
	assert_int_equal(next_deadline_ms(), UINT64_MAX);
}

SCENE(a_device_gets_the_address_that_its_panel_tells)
{
	tell(1, "02:00:00:00:00:01", -50);
	tell(2, "02:00:00:00:00:02", -50);
	tell(3, "ff:ff:ff:ff:ff:ff", -50);
	pass_ms(500);
	begin_rows(4);
	add_answer(1, true, false);
	add_answer(2, false, false);
	add_answer(3, false, false);
	answer(asked(STATEMENT_PANEL_TOLD));
	assert_int_equal(asked_count(STATEMENT_PANEL_MAC), 1);
	begin_rows(1);
	add_integer(8);
	answer(asked(STATEMENT_PANEL_MAC));
	run_turns();
	assert_string_equal(hints_sent(), "device:01000000-0000-0000-0000-000000000001:8 ");
	/* Another worker was faster. */
	tell(1, "02:00:00:00:00:01", -50);
	pass_ms(500);
	begin_rows(4);
	add_answer(1, true, false);
	answer(asked(STATEMENT_PANEL_TOLD));
	answer_nothing(asked(STATEMENT_PANEL_MAC), DB_CONSTRAINT);
	run_turns();
	assert_string_equal(hints_sent(), "");
}

SCENE(a_lost_database_is_told_when_it_is_back)
{
	int64_t signals[300];
	struct id ids[300];

	tell(1, "", -50);
	tell(2, "", -50);
	pass_ms(500);
	tell(2, "", -70);
	set_database_up(false);
	answer_nothing(asked(STATEMENT_PANEL_TOLD), DB_UNAVAILABLE);
	pass_ms(10 * 1000);
	assert_int_equal(asked_count(STATEMENT_PANEL_TOLD), 0);
	set_database_up(true);
	pass_ms(2 * 1000);
	assert_int_equal(written(ids, signals), 2);
	assert_true(id_equal(ids[0], id_of(2)) && id_equal(ids[1], id_of(1)));
	assert_int_equal(signals[0], -70);
	answer_nothing(asked(STATEMENT_PANEL_TOLD), DB_OK);
}

SCENE(no_more_wait_than_there_is_room_for)
{
	int64_t signals[300];
	struct id ids[300];

	for (unsigned i = 1; i <= 300; i++)
		tell(i, "", -50);
	pass_ms(500);
	assert_int_equal(written(ids, signals), 256);
	answer_nothing(asked(STATEMENT_PANEL_TOLD), DB_FAILED);
}

SCENE(nothing_told_is_nothing_written)
{
	struct panel_report nothing = {0};

	panel_reports_take(&reports, id_of(1), &nothing);
	assert_int_equal(next_deadline_ms(), UINT64_MAX);
}

SCENE(a_draining_worker_writes_at_once)
{
	tell(1, "02:00:00:00:00:01", -50);
	panel_reports_drain(&reports);
	begin_rows(4);
	add_answer(1, true, true);
	answer(asked(STATEMENT_PANEL_TOLD));
	assert_int_equal(asked_count(STATEMENT_PANEL_MAC), 0);
	tell(2, "", -50);
	pass_ms(10 * 1000);
	assert_int_equal(asked_count(STATEMENT_PANEL_TOLD), 0);
}

RUN_TESTS(NULL, NULL)
