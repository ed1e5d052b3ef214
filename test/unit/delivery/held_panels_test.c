/* Tests which panels a process says it has, and that such a panel costs no further write. */
#include "write_behind_scene.h"

SCENE(a_panel_that_rests_writes_nothing)
{
	struct panel *linked = panels_create(&panels, id_of(1)),
		     *polls = panels_create(&panels, id_of(2));

	linked->connection_count = 1;
	panel_seen(linked);
	pass_ms(20 * 1000);
	assert_int_equal(written_hold(), PRESENCE_LINKED);
	assert_int_equal(written_ago_us(), 0);
	poll_for(polls, 25);
	pass_ms(20 * 1000);
	assert_int_equal(written_hold(), PRESENCE_POLLS);
	assert_int_equal(written_ago_us(), 0);
	for (unsigned i = 0; i < 10; i++) {
		panel_seen(linked);
		poll_for(polls, 25);
		pass_ms(20 * 1000);
		assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	}
	/* The connected one leaves. */
	linked->connection_count = 0;
	panel_seen(linked);
	pass_ms(10 * 1000);
	poll_for(polls, 25);
	pass_ms(10 * 1000);
	assert_int_equal(written_hold(), PRESENCE_LEFT);
	assert_int_equal(written_ago_us(), 20 * 1000000);
	/* The other one polls no more. */
	pass_ms(20 * 1000);
	assert_int_equal(written_hold(), PRESENCE_LEFT);
	assert_int_equal(written_ago_us(), 30 * 1000000);
	pass_ms(60 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
}

/* The holder knows of the polls. When it leaves, this worker has the panel. */
SCENE(a_panel_that_another_process_has_is_left_to_it)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	for (unsigned i = 0; i < 2; i++) {
		poll_for(panel, 25);
		pass_ms(20 * 1000);
		answer_unwritten(true);
		assert_false(panel->is_held);
	}
	poll_for(panel, 25);
	pass_ms(20 * 1000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_true(panel->is_held);
	panel->is_held = false;
}

SCENE(a_panel_that_polls_elsewhere_stays_with_its_holder)
{
	const struct cursors other = cursors_join(region_common(script_shared, &cursor_region), 1);
	struct panel *panel = panels_create(&panels, id_of(1));

	poll_for(panel, 15);
	pass_ms(19 * 1000);
	poll_at(&other, 1);
	poll_for(panel, 15);
	pass_ms(1000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	for (unsigned i = 0; i < 10; i++) {
		pass_ms(10 * 1000);
		poll_at(&other, 1);
		pass_ms(10 * 1000);
		assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	}
	assert_true(panel->is_held);
	pass_ms(20 * 1000);
	assert_int_equal(written_hold(), PRESENCE_LEFT);
	assert_int_equal(written_ago_us(), 0); /* the last poll was not here */
	assert_false(panel->is_held);
}

/* Such as one whose process was paused for so long that another one has taken its devices. */
SCENE(a_holder_that_the_database_does_not_know_is_written_soon)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	panel->connection_count = 1;
	panel_seen(panel);
	pass_ms(20 * 1000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	write_behind_held(&write_behind, panel, true);
	pass_ms(5000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	write_behind_held(&write_behind, panel, false);
	pass_ms(1000);
	assert_int_equal(written_hold(), PRESENCE_LINKED);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_true(panel->is_held);
	/* A panel that has left is not written. */
	panel->connection_count = 0;
	write_behind_held(&write_behind, panel, false);
	panel->seen_us = 0;
	pass_ms(30 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
}

SCENE(a_panel_that_makes_room_is_let_go)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	panel->is_held = true;
	write_behind_forget(&write_behind, panel);
	panel_destroy(panel);
	pass_ms(20 * 1000);
	answer_unwritten(false); /* somebody has locked its row */
	pass_ms(20 * 1000);
	assert_int_equal(written_hold(), PRESENCE_LEFT);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	/* It came back in the meantime. */
	panel = panels_create(&panels, id_of(2));
	panel->is_held = true;
	write_behind_forget(&write_behind, panel);
	panel_destroy(panel);
	panels_create(&panels, id_of(2));
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
}

RUN_TESTS(NULL, NULL)
