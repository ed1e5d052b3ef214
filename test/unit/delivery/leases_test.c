/* Tests how long other workers are told about panels, and that many of them are told in turn. */
#include "base/limits.h"
#include "modules.h"
#include "served.h"

#include <stdio.h>

#define OTHER "0190163d-8694-739b-aea5-966c26f8ad91"

enum { MANY = 100 }; /* more than are reported in a turn */

static const char *name_of(struct id id)
{
	static char text[ID_TEXT_LENGTH + 1];

	id_format(id, text);
	return text;
}

static void watch(struct id id)
{
	hint("watch:%s:%s", name_of(id), OTHER);
}

/* Returns whether the other workers were told what the device shows since the previous call. */
static bool is_told(const struct script_device *device)
{
	char start[64];

	snprintf(start, sizeof(start), "shows:%s:", name_of(device->id));
	return strstr(hints_sent(), start) != NULL;
}

#define SCENE(name) TEST_IN(name, serve_begin, serve_end)

/* Makes the panel show something else. */
static void show(struct script_socket *socket, unsigned number)
{
	char text[64];

	snprintf(text, sizeof(text), "{\"queued\":%u}", number);
	panel_says(socket, text);
	snprintf(text, sizeof(text), "{\"displaying\":%u}", number);
	panel_says(socket, text);
	run_turns();
}

static struct script_socket *connect_with_two_entries(struct script_device *device)
{
	struct script_socket *socket;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	socket = connect_device(device);
	show(socket, 0);
	hints_sent();
	return socket;
}

static bool is_sent(const char *kind, struct id id)
{
	char word[64];

	snprintf(word, sizeof(word), "%s:%s:", kind, name_of(id));
	return strstr(hints_sent(), word) != NULL;
}

SCENE(a_watch_lasts_while_its_worker_is_heard)
{
	struct script_device *device = add_device();
	struct script_socket *socket = connect_with_two_entries(device);

	hint("here:%s", OTHER);
	watch(device->id);
	run_turns();
	assert_true(is_told(device));
	for (unsigned i = 0; i < 30; i++) {
		pass_ms(10 * 1000);
		panel_lives(socket);
		hint("here:%s", OTHER);
	}
	hints_sent();
	show(socket, 1);
	assert_true(is_told(device));
	pass_ms(35 * 1000);
	hints_sent();
	show(socket, 0);
	assert_false(is_told(device));
}

SCENE(a_watch_without_an_end_is_forgotten)
{
	struct script_device *device = add_device();
	struct script_socket *socket = connect_with_two_entries(device);

	watch(device->id);
	for (unsigned i = 0; i < 67; i++) {
		hint("here:%s", OTHER);
		pass_ms(10 * 1000);
		panel_lives(socket);
	}
	hints_sent();
	show(socket, 1);
	assert_false(is_told(device));
}

SCENE(a_watch_of_an_older_worker_lasts_half_a_minute)
{
	struct script_device *device = add_device();
	struct script_socket *socket = connect_with_two_entries(device);

	watch(device->id);
	pass_ms(29 * 1000);
	hints_sent();
	show(socket, 1);
	assert_true(is_told(device));
	pass_ms(6 * 1000);
	hints_sent();
	show(socket, 0);
	assert_false(is_told(device));
}

SCENE(a_page_that_is_closed_is_told_no_more)
{
	struct script_device *device = add_device();
	struct script_socket *socket = connect_with_two_entries(device);

	watch(device->id);
	run_turns();
	hints_sent();
	hint("unwatch:%s:%s", name_of(device->id), OTHER);
	show(socket, 1);
	assert_false(is_told(device));
}

SCENE(a_worker_says_that_it_is_here_while_it_has_watches)
{
	struct script_device *device = add_device();
	struct script_socket *socket = connect_with_two_entries(device);

	pass_ms(60 * 1000);
	panel_lives(socket);
	assert_null(strstr(hints_sent(), "here:"));
	hint("here:%s", OTHER);
	watch(device->id);
	assert_non_null(strstr(hints_sent(), "here:"));
	pass_ms(10 * 1000);
	assert_non_null(strstr(hints_sent(), "here:"));
	hint("unwatch:%s:%s", name_of(device->id), OTHER);
	pass_ms(20 * 1000);
	assert_null(strstr(hints_sent(), "here:"));
}

SCENE(a_panel_that_comes_is_told_to_those_who_watch)
{
	struct script_device *watched = add_device(), *other = add_device();
	struct script_socket *socket;

	watch(watched->id);
	connect_device(other);
	assert_false(is_sent("came", other->id));
	socket = connect_device(watched);
	assert_true(is_sent("came", watched->id));
	watch(watched->id);
	run_turns();
	assert_true(is_told(watched));
	/* A second connection is no news. */
	connect_device(watched);
	assert_false(is_sent("came", watched->id));
	close_socket(socket);
}

SCENE(a_panel_that_polls_in_turn_comes_once)
{
	const struct cursors other = {.table = script_cursors->table, .worker = 1};
	const struct poll_cursor cursor = {.position = -1, .turns_seen = -1};
	struct script_device *device = add_device();

	add_installation(device, "one", "first");
	watch(device->id);
	poll(device);
	assert_true(is_sent("came", device->id));
	watch(device->id);
	run_turns();
	assert_true(is_told(device));
	cursor_set(&other, device->id, &cursor,
		   &(struct cursor_moment){.wall_us = script_wall_us()});
	hints_sent();
	poll(device);
	run_turns();
	assert_false(is_sent("came", device->id));
}

SCENE(after_hints_were_lost_each_panel_is_told_once)
{
	const struct cursors other = {.table = script_cursors->table, .worker = 1};
	const struct poll_cursor cursor = {.position = -1, .turns_seen = -1};
	struct script_device *device = add_device();

	add_installation(device, "one", "first");
	set_hints_up(false);
	set_hints_up(true);
	poll(device);
	assert_true(is_sent("came", device->id));
	/* Nobody has asked again, so nobody watches it. */
	cursor_set(&other, device->id, &cursor,
		   &(struct cursor_moment){.wall_us = script_wall_us()});
	hints_sent();
	poll(device);
	assert_false(is_sent("came", device->id));
}

SCENE(after_hints_were_lost_a_worker_that_has_panels_says_so)
{
	struct script_device *device = add_device();
	char none[64];

	connect_device(device);
	watch(device->id);
	run_turns();
	set_hints_up(false);
	set_hints_up(true);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
	run_turns();
	snprintf(none, sizeof(none), "came:%s:", name_of((struct id){0}));
	assert_non_null(strstr(hints_sent(), none));
	/* Nobody is judged by the time without hints. */
	set_hints_up(false);
	pass_ms(100 * 1000);
	set_hints_up(true);
	answer_all(STATEMENT_PANEL_GENERATIONS, DB_UNAVAILABLE);
	run_turns();
	assert_true(is_told(device));
}

SCENE(many_are_reported_in_turn)
{
	struct script_device *device = add_device();

	connect_device(device);
	for (unsigned i = 0; i < MANY; i++)
		leases_ask(&served->leases, id_of(100000 + i));
	watch(device->id);
	run_turns();
	assert_true(is_told(device));
}

SCENE(reports_leave_room_for_hints_of_changes)
{
	struct script_device *device = add_device();

	connect_device(device);
	set_hint_room(LIMIT_HINT_BYTES / 2 - 1);
	watch(device->id);
	pass_ms(100);
	assert_false(is_told(device));
	set_hint_room(LIMIT_HINT_BYTES / 2);
	pass_ms(5);
	assert_true(is_told(device));
}

/* Reads the time since which a panel shows a picture: it follows the sixth colon of "shows:...". */
static long long since_of(const char *hint)
{
	hint = strstr(hint, "shows:");
	assert_non_null(hint);
	for (unsigned i = 0; i < 6; i++) {
		hint = strchr(hint, ':');
		assert_non_null(hint);
		hint++;
	}
	return strtoll(hint, NULL, 10);
}

/* The panel repeats its only picture, turn after turn: that is one time to all who watch. */
SCENE(those_that_ask_later_get_the_same_time)
{
	struct script_device *device = add_device();
	struct script_socket *socket;
	long long since_us[2] = {0};

	add_installation(device, "one", "first");
	socket = connect_device(device);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	hints_sent();
	for (unsigned i = 0; i < array_length(since_us); i++) {
		watch(device->id);
		run_turns();
		since_us[i] = since_of(hints_sent());
		pass_ms(20 * 1000);
		panel_lives(socket);
	}
	assert_int_equal(since_us[0], since_us[1]);
}

RUN_TESTS(NULL, NULL)
