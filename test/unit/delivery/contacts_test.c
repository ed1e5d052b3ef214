/* Tests the writes of first contacts, and how long first pictures wait for them. */
#include "write_behind_scene.h"

SCENE(the_first_contact_is_written_soon_and_told)
{
	struct panel *fresh = panels_create(&panels, id_of(1)),
		     *known = panels_create(&panels, id_of(2));
	struct id ids[10];

	known->has_connected = true;
	panel_seen(known);
	write_behind_contact(&write_behind, known);
	pass_ms(5000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	panel_seen(fresh);
	write_behind_contact(&write_behind, fresh);
	write_behind_contact(&write_behind, fresh);
	assert_true(fresh->awaits_contact);
	assert_false(known->awaits_contact);
	pass_ms(50);
	hints_sent();
	/* Only this device: the others are written at their own time. */
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 1);
	assert_true(id_equal(ids[0], fresh->id));
	assert_int_equal(wait_ends, 0);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	run_turns();
	assert_string_equal(hints_sent(), "device:01000000-0000-0000-0000-000000000001:0 ");
	assert_int_equal(wait_ends, 1);
	assert_false(fresh->awaits_contact);
	panel_seen(fresh);
	write_behind_contact(&write_behind, fresh);
	/* The other workers write at this time, too. */
	pass_ms(15 * 1000 - 51);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	pass_ms(1);
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 2);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_string_equal(hints_sent(), "");
}

SCENE(the_first_picture_waits_for_200_ms_at_most)
{
	struct panel *one = panels_create(&panels, id_of(1)),
		     *two = panels_create(&panels, id_of(2));

	panel_seen(one);
	write_behind_contact(&write_behind, one);
	pass_ms(150);
	panel_seen(two);
	write_behind_contact(&write_behind, two);
	pass_ms(49);
	assert_int_equal(wait_ends, 0);
	pass_ms(1);
	assert_int_equal(wait_ends, 1);
	assert_false(one->awaits_contact);
	assert_true(two->awaits_contact);
	/* The second write waits for the end of the first: a slow database gets only one. */
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 1);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	pass_ms(50);
	hints_sent();
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_UNAVAILABLE);
	assert_int_equal(wait_ends, 2);
	/* Pages are told once it is written. */
	assert_string_equal(hints_sent(), "");
	pass_ms(2000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_string_equal(hints_sent(), "device:02000000-0000-0000-0000-000000000001:0 ");
}

SCENE(the_first_picture_does_not_wait_for_a_database_that_is_away)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	set_database_up(false);
	panel_seen(panel);
	write_behind_contact(&write_behind, panel);
	assert_false(panel->awaits_contact);
	pass_ms(1000);
	set_database_up(true);
	pass_ms(2000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	run_turns();
	assert_string_equal(hints_sent(), "device:01000000-0000-0000-0000-000000000001:0 ");
}

SCENE(a_contact_that_stays_is_written_once)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	panel->connection_count = 1;
	panel_seen(panel);
	write_behind_contact(&write_behind, panel);
	pass_ms(50);
	assert_int_equal(written_ago_us(), 0);
	panel_seen(panel);
	pass_ms(20 * 1000 - 50);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	panel->connection_count = 0;
	panel->is_held = false;
}

/* A panel that polls seldom is written after a second: a contact does not wait for that. */
SCENE(a_contact_is_written_before_those_that_have_time)
{
	struct panel *seldom = panels_create(&panels, id_of(1)),
		     *fresh = panels_create(&panels, id_of(2));
	struct id ids[10];

	seldom->polled = memory_zalloc(sizeof(*seldom->polled));
	seldom->polled->dwell_s = 60;
	panel_seen(seldom);
	write_behind_polled(&write_behind, seldom);
	pass_ms(100);
	panel_seen(fresh);
	write_behind_contact(&write_behind, fresh);
	pass_ms(49);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	pass_ms(1);
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 2);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
}

static void on_reconciliation(struct deadline *deadline)
{
	(void)deadline;
}

/* Only writes at a common time are followed by a comparison of all panels. */
SCENE(a_contact_does_not_hurry_reconciliation)
{
	struct panel *panel = panels_create(&panels, id_of(1));
	uint64_t at_ms;

	deadline_init(&reconciliation.deadline, on_reconciliation);
	deadline_set(&script_loop, &reconciliation.deadline, 60 * 1000);
	at_ms = reconciliation.deadline.at_ms;
	reconciliation.is_draining = false;
	panel->connection_count = 1;
	panel_seen(panel);
	write_behind_contact(&write_behind, panel);
	pass_ms(50);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_int_equal(reconciliation.deadline.at_ms, at_ms);
	panel_seen(panels_create(&panels, id_of(2)));
	pass_ms(20 * 1000 - 50);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_int_equal(reconciliation.deadline.at_ms, loop_now_ms(&script_loop) + 100);
	deadline_clear(&script_loop, &reconciliation.deadline);
	panel->connection_count = 0;
}

RUN_TESTS(NULL, NULL)
