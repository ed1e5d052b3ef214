/* Tests when write-behind writes, and what it keeps while the database is unavailable. */
#include "write_behind_scene.h"

SCENE(seen_devices_are_written_every_20_s)
{
	struct panel *panel = panels_create(&panels, id_of(1));
	int64_t ages_us[10];
	struct id ids[10];

	panels_create(&panels, id_of(2)); /* never seen */
	panel_seen(panel);
	pass_ms(10 * 1000);
	panel_seen(panel);
	pass_ms(10 * 1000 - 1);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	pass_ms(1);
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 1);
	assert_true(id_equal(ids[0], id_of(1)));
	int8_array(asked(STATEMENT_DEVICE_SEEN), 1, ages_us);
	assert_int_equal(ages_us[0], 10 * 1000000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0); /* no panel was seen since */
}

SCENE(many_are_written_in_portions)
{
	struct id ids[1000];

	for (unsigned i = 0; i < 1500; i++)
		panel_seen(panels_create(&panels, id_of(i)));
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 2);
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 1000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 500);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
}

SCENE(what_a_lost_database_did_not_take_is_kept)
{
	struct panel *panel = panels_create(&panels, id_of(1));
	int64_t seen_us;

	panel_seen(panel);
	seen_us = panel->seen_us;
	pass_ms(20 * 1000);
	assert_int_equal(panel->seen_us, 0);
	set_database_up(false);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_UNAVAILABLE);
	assert_int_equal(panel->seen_us, seen_us);
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	set_database_up(true);
	pass_ms(20 * 1000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	assert_int_equal(panel->seen_us, 0);
}

SCENE(a_lost_database_gets_the_times_when_it_is_back)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	panel_seen(panel);
	set_database_up(false);
	pass_ms(20 * 1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	set_database_up(true);
	pass_ms(2000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
}

/* Index of a device in the statement under way, from 1. */
static unsigned number_of(struct id id)
{
	struct id ids[10];
	unsigned count = id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids);

	for (unsigned i = 0; i < count; i++)
		if (id_equal(ids[i], id))
			return i + 1;
	return 0;
}

SCENE(what_somebody_else_had_locked_is_kept)
{
	struct panel *one = panels_create(&panels, id_of(1)),
		     *two = panels_create(&panels, id_of(2));
	int64_t seen_us;

	panel_seen(one);
	panel_seen(two);
	seen_us = two->seen_us;
	pass_ms(20 * 1000);
	begin_rows(2);
	add_integer(number_of(two->id));
	add_bool(false);
	answer(asked(STATEMENT_DEVICE_SEEN));
	assert_int_equal(one->seen_us, 0);
	assert_int_equal(two->seen_us, seen_us);
	pass_ms(1000);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_BLOCKED);
	assert_int_equal(two->seen_us, seen_us);
	two->seen_us = 0;
}

/* The next common moment would be too late: the times would be more than a minute old. */
SCENE(a_write_that_failed_is_repeated_in_2_s)
{
	static const enum db_outcome outcomes[] = {DB_UNAVAILABLE, DB_BLOCKED};

	panel_seen(panels_create(&panels, id_of(1)));
	pass_ms(20 * 1000);
	for (unsigned i = 0; i < array_length(outcomes); i++) {
		answer_nothing(asked(STATEMENT_DEVICE_SEEN), outcomes[i]);
		pass_ms(1999);
		assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
		pass_ms(1);
		assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 1);
	}
	assert_int_equal(written_ago_us(), 24 * 1000000);
}

SCENE(workers_that_began_at_other_times_write_together)
{
	pass_ms(7000);
	write_behind_set_interval(&write_behind, 20 * 1000);
	panel_seen(panels_create(&panels, id_of(1)));
	pass_ms(13 * 1000 - 1);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	pass_ms(1);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
}

SCENE(the_worker_of_the_last_poll_writes_it)
{
	const struct cursors other = cursors_join(region_common(script_shared, &cursor_region), 1);
	struct panel *here = panels_create(&panels, id_of(1)),
		     *elsewhere = panels_create(&panels, id_of(2)),
		     *connected = panels_create(&panels, id_of(3)),
		     *late = panels_create(&panels, id_of(4));
	struct id ids[10];

	for (unsigned device = 1; device <= 3; device++)
		poll_at(&other, device);
	pass_ms(5000);
	panel_seen(here);
	poll_at(script_cursors, 1);
	panel_seen(elsewhere);
	poll_at(script_cursors, 2);
	panel_seen(late);
	pass_ms(5000);
	poll_at(&other, 2);
	panel_seen(connected); /* it pings */
	pass_ms(9500);
	/* The other worker's clock may have reached 20 s already. */
	poll_at(&other, 4);
	pass_ms(500);
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_false(id_equal(ids[i], elsewhere->id));
	assert_int_equal(elsewhere->seen_us, 0);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
}

SCENE(a_panel_is_online_until_its_next_poll_is_due)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	pass_ms(7000);
	poll_for(panel, 15);
	pass_ms(13 * 1000);
	assert_int_equal(written_ago_us(), 0);
	/* A poll may be slightly late; a panel without a poll by then had left before. */
	poll_for(panel, 15);
	pass_ms(20 * 1000);
	assert_int_equal(written_ago_us(), 20 * 1000000);
	pass_ms(1);
	poll_for(panel, 15);
	pass_ms(20 * 1000 - 1);
	assert_int_equal(written_ago_us(), 0);
}

SCENE(a_panel_that_polls_seldom_is_written_at_its_polls)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	for (unsigned i = 0; i < 3; i++) {
		poll_for(panel, 60);
		pass_ms(999);
		assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
		poll_for(panel, 60); /* does not postpone the write */
		pass_ms(1);
		assert_int_equal(written_ago_us(), 1000);
		pass_ms(59 * 1000);
		assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 0);
	}
}

SCENE(a_worker_that_ends_leaves_nothing_to_others)
{
	const struct cursors other = cursors_join(region_common(script_shared, &cursor_region), 1);
	struct panel *panel = panels_create(&panels, id_of(1));

	panel_seen(panel);
	pass_ms(5000);
	poll_at(&other, 1);
	pass_ms(5000);
	write_behind_drain(&write_behind);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
}

SCENE(a_panel_seen_again_keeps_the_later_time)
{
	struct panel *panel = panels_create(&panels, id_of(1));
	int64_t later_us;

	panel_seen(panel);
	pass_ms(20 * 1000);
	panel_seen(panel);
	later_us = panel->seen_us;
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_UNAVAILABLE);
	assert_int_equal(panel->seen_us, later_us);
	panel->seen_us = 0;
	panel_destroy(panel);
}

static void displayed(unsigned number, int64_t generation)
{
	struct panel *panel = panels_find(&panels, id_of(number));

	if (!panel)
		panel = panels_create(&panels, id_of(number));
	write_behind_displayed(&write_behind, panel, generation, script_wall_us());
}

SCENE(displayed_pushes_are_written_together)
{
	int64_t generations[10];
	struct id ids[10];

	displayed(1, 5);
	pass_ms(400);
	displayed(2, 6);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
	pass_ms(100);
	assert_int_equal(id_array(asked(STATEMENT_SHOWING_DISPLAYED), 0, ids), 2);
	int8_array(asked(STATEMENT_SHOWING_DISPLAYED), 1, generations);
	assert_int_equal(generations[0], 5);
	assert_int_equal(generations[1], 6);
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_OK);
	/* Other workers know it at once. */
	assert_int_not_equal(cursor_shown_us(script_cursors, id_of(1), 5), 0);
	pass_ms(5000);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
}

SCENE(a_lost_database_is_told_when_it_is_back)
{
	int64_t shown_us = script_wall_us() - INT64_C(946684800) * 1000000, times_us[10];
	struct id ids[10];

	displayed(1, 5);
	pass_ms(500);
	set_database_up(false);
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_UNAVAILABLE);
	displayed(2, 6);
	pass_ms(10 * 1000);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
	set_database_up(true);
	pass_ms(2000);
	assert_int_equal(id_array(asked(STATEMENT_SHOWING_DISPLAYED), 0, ids), 2);
	int8_array(asked(STATEMENT_SHOWING_DISPLAYED), 2, times_us);
	assert_true(id_equal(ids[0], id_of(1)));
	assert_int_equal(times_us[0], shown_us);
	assert_int_equal(times_us[1], shown_us + 500 * 1000);
	/* A batch that fails for another reason is dropped. */
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_FAILED);
	pass_ms(5000);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
}

SCENE(a_locked_showing_is_told_again)
{
	int64_t generations[10];

	displayed(1, 5);
	displayed(2, 6);
	pass_ms(500);
	begin_rows(3);
	add_bytes(id_of(2).bytes, ID_BYTES);
	add_integer(6);
	add_integer(1000000);
	answer(asked(STATEMENT_SHOWING_DISPLAYED));
	pass_ms(500);
	assert_int_equal(int8_array(asked(STATEMENT_SHOWING_DISPLAYED), 1, generations), 1);
	assert_int_equal(generations[0], 6);
	assert_int_equal(int8_array(asked(STATEMENT_SHOWING_DISPLAYED), 2, generations), 1);
	assert_int_equal(generations[0], 1000000);
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_OK);
	pass_ms(5000);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
}

static unsigned waiting_count(void)
{
	return (unsigned)(buffer_length(&write_behind.displays.waiting) / sizeof(struct displayed));
}

SCENE(many_are_written_in_turn)
{
	static const unsigned counts[] = {DISPLAYED_BATCH, DISPLAYED_BATCH, 1};
	struct id ids[DISPLAYED_BATCH];

	for (unsigned i = 0; i <= 2 * DISPLAYED_BATCH; i++)
		displayed(i, 5);
	pass_ms(500);
	/* Later ones wait for their own time. */
	displayed(999, 5);
	for (unsigned i = 0; i < array_length(counts); i++) {
		assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 1);
		assert_int_equal(id_array(asked(STATEMENT_SHOWING_DISPLAYED), 0, ids), counts[i]);
		assert_true(id_equal(ids[0], id_of(i * DISPLAYED_BATCH)));
		answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_OK);
	}
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
	pass_ms(500);
	assert_int_equal(id_array(asked(STATEMENT_SHOWING_DISPLAYED), 0, ids), 1);
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_OK);
}

SCENE(of_too_many_the_last_are_dropped)
{
	struct panel *panel = panels_create(&panels, id_of(1));

	set_database_up(false);
	for (int i = 0; i <= DISPLAYED_MAX; i++)
		write_behind_displayed(&write_behind, panel, i, script_wall_us());
	assert_int_equal(waiting_count(), DISPLAYED_MAX);
	pass_ms(10 * 1000);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
	set_database_up(true);
	pass_ms(2000);
	/* If the database is lost again, entries for a full list are dropped, and the others leave
	 * later. */
	set_database_up(false);
	for (int i = 0; i < DISPLAYED_BATCH; i++)
		write_behind_displayed(&write_behind, panel, i, script_wall_us());
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_UNAVAILABLE);
	assert_int_equal(waiting_count(), DISPLAYED_MAX);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 0);
	set_database_up(true);
	pass_ms(2000);
	while (asked_count(STATEMENT_SHOWING_DISPLAYED))
		answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_OK);
	assert_int_equal(waiting_count(), 0);
}

SCENE(a_draining_worker_writes_at_once)
{
	displayed(1, 5);
	panel_seen(panels_find(&panels, id_of(1)));
	write_behind_drain(&write_behind);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 1);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 1);
	displayed(1, 6);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 1);
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_OK);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 1);
	answer_nothing(asked(STATEMENT_SHOWING_DISPLAYED), DB_UNAVAILABLE);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_UNAVAILABLE);
	assert_int_equal(next_deadline_ms(), UINT64_MAX);
}

RUN_TESTS(NULL, NULL)
