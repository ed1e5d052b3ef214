/* Reconciliation repairs what lost hints left behind. */
#include "base/clock.h"
#include "panels.h"
#include "served.h"

/* Answers the oldest comparison with these devices. */
static void answer_generations(const struct script_device *const *devices, unsigned count)
{
	begin_rows(3);
	for (unsigned i = 0; i < count; i++) {
		add_bytes(devices[i]->id.bytes, ID_BYTES);
		add_integer(devices[i]->generation);
		add_bool(devices[i]->is_held);
	}
	answer(asked(STATEMENT_PANEL_GENERATIONS));
	run_turns();
}

#define SCENE(function) TEST_IN(function, serve_begin, serve_end)

SCENE(a_lost_hint_is_repaired_within_30_s)
{
	struct script_device *changed = add_device();
	struct script_device *same = add_device();
	const struct script_device *both[] = {changed, same};
	struct script_socket *socket = connect_device(changed);
	struct id ids[10];

	panel_of_device(same);
	changed->brightness = 20;
	changed->generation++;
	sent_to(socket);
	pass_ms(29 * 1000);
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 0);
	pass_ms(1000);
	assert_int_equal(id_array(asked(STATEMENT_PANEL_GENERATIONS), 0, ids), 2);
	answer_generations(both, 2);
	assert_int_equal(id_array(asked(STATEMENT_PANEL_LOAD), 0, ids), 1);
	assert_true(id_equal(ids[0], changed->id));
	answer_loads();
	assert_string_equal(sent_to(socket), "{\"brightness\":20} ");
}

SCENE(a_device_that_is_gone_is_found_out)
{
	struct script_device *device = add_device();
	struct script_socket *socket = connect_device(device);

	device->is_gone = true;
	pass_ms(30 * 1000);
	answer_all(STATEMENT_DEVICE_SEEN, DB_OK);
	answer_generations(NULL, 0);
	answer_loads();
	assert_true(socket->is_dropped);
}

/* A panel knows the days of its entries' recurrence for some days only. */
SCENE(recurrences_are_read_again)
{
	struct script_device *device = add_device(), *other = add_device();
	const struct script_device *both[] = {device, other};
	struct panel *panel;
	struct id ids[10];

	add_installation(device, "one", "first");
	device->installations[0].recurs_from = 20000;
	panel = panel_of_device(device);
	panel_of_device(other);
	pass_ms(30 * 1000);
	answer_generations(both, 2);
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD), 0);
	assert_true(panel->content.known_until_us > clock_wall_us() + INT64_C(4) * 86400 * 1000000);
	panel->content.known_until_us = clock_wall_us() - 1;
	pass_ms(30 * 1000);
	answer_generations(both, 2);
	assert_int_equal(id_array(asked(STATEMENT_PANEL_LOAD), 0, ids), 1);
	assert_true(id_equal(ids[0], device->id));
	answer_loads();
}

SCENE(without_hints_it_runs_every_2_s)
{
	struct script_device *device = add_device();
	const struct script_device *all[] = {device};

	panel_of_device(device);
	set_hints_up(false);
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 0);
	for (unsigned i = 0; i < 3; i++) {
		pass_ms(2000);
		assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 1);
		answer_generations(all, 1);
	}
	/* Compare all generations at once when hints work again. */
	set_hints_up(true);
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 1);
	answer_generations(all, 1);
	pass_ms(29 * 1000);
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 0);
	answer_all(STATEMENT_DEVICE_SEEN, DB_OK);
}

SCENE(what_could_not_be_read_is_tried_again_soon)
{
	struct script_device *device = add_device();
	const struct script_device *all[] = {device};
	struct panel *panel = panel_of_device(device);

	device->generation++;
	delivery_device_changed(served, device->id, device->generation);
	run_turns();
	fail_load();
	assert_int_equal(panel->generation, 1);
	pass_ms(500);
	answer_nothing(asked(STATEMENT_PANEL_GENERATIONS), DB_UNAVAILABLE);
	pass_ms(500);
	answer_generations(all, 1);
	answer_loads();
	assert_int_equal(panel->generation, 2);
}

/* The read lets PostgreSQL prune their pages, which its log then has before the change is on the
 * disk. */
SCENE(written_times_are_read_at_once)
{
	struct script_device *device = add_device();
	const struct script_device *all[] = {device};

	connect_device(device);
	while (asked_count(STATEMENT_DEVICE_SEEN) == 0)
		pass_ms(1);
	while (asked_count(STATEMENT_PANEL_GENERATIONS))
		answer_generations(all, 1);
	pass_ms(200);
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 0);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	device->is_held = true;
	pass_ms(99); /* the other workers write now, too */
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 0);
	pass_ms(1);
	answer_generations(all, 1);
	pass_ms(29 * 1000);
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 0);
	pass_ms(1000);
	answer_generations(all, 1);
}

/* The change was lost with a crash of PostgreSQL, or another process has taken the device. */
SCENE(a_panel_that_the_database_forgot_is_written_again)
{
	struct script_device *device = add_device();
	const struct script_device *all[] = {device};

	connect_device(device);
	while (asked_count(STATEMENT_DEVICE_SEEN) == 0)
		pass_ms(1);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	pass_ms(100);
	while (asked_count(STATEMENT_PANEL_GENERATIONS))
		answer_generations(all, 1);
	pass_ms(1000);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 1);
}

SCENE(a_database_that_is_away_is_not_asked)
{
	panel_of_device(add_device());
	set_database_up(false);
	pass_ms(60 * 1000);
	assert_int_equal(asked_count(STATEMENT_PANEL_GENERATIONS), 0);
}

SCENE(panels_that_nobody_uses_go)
{
	struct delivery_limits limits = {.unused_ms = 100 * 1000};
	struct script_device *unused = add_device();
	struct script_device *used = add_device();
	struct asked_lookup lookup;

	delivery_set_limits(served, &limits);
	panel_of_device(unused);
	connect_device(used);
	for (unsigned i = 0; i < 5; i++) {
		pass_ms(30 * 1000);
		answer_all(STATEMENT_DEVICE_SEEN, DB_OK);
		answer_all(STATEMENT_PANEL_GENERATIONS, DB_OK);
		answer_loads();
	}
	look_up_device(&lookup, used);
	assert_true(lookup.is_done);
	look_up_device(&lookup, unused);
	assert_false(lookup.is_done);
	answer_loads();
}

/* Otherwise the time of its last connection would be lost. */
SCENE(a_panel_that_is_to_be_written_down_stays)
{
	struct delivery_limits limits = {.unused_ms = 10 * 1000};
	struct script_device *device = add_device();
	struct id ids[10];

	delivery_set_limits(served, &limits);
	add_installation(device, "one", "first");
	poll(device);
	set_database_up(false);
	pass_ms(120 * 1000);
	set_database_up(true);
	pass_ms(50 * 1000);
	assert_int_equal(id_array(asked(STATEMENT_DEVICE_SEEN), 0, ids), 1);
	assert_true(id_equal(ids[0], device->id));
}

SCENE(the_least_used_panel_makes_room)
{
	struct delivery_limits limits = {.panels = 2};
	struct script_device *first = add_device();
	struct script_device *second = add_device();
	struct script_device *third = add_device();
	struct asked_lookup lookup;

	delivery_set_limits(served, &limits);
	connect_device(first); /* in use: it stays */
	panel_of_device(second);
	panel_of_device(third);
	look_up_device(&lookup, first);
	assert_true(lookup.is_done);
	look_up_device(&lookup, third);
	assert_true(lookup.is_done);
	look_up_device(&lookup, second);
	assert_false(lookup.is_done);
	answer_loads();
}

RUN_TESTS(NULL, NULL)
