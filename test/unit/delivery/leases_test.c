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

SCENE(a_renewed_lease_holds_no_others)
{
	struct script_device *device = add_device();

	connect_device(device);
	for (unsigned i = 0; i < LIMIT_LEASES; i++)
		watch(id_of(100000 + i));
	pass_ms(20 * 1000);
	watch(id_of(100000));
	pass_ms(10 * 1000 - 1);
	watch(device->id);
	run_turns();
	assert_false(is_told(device));
	/* All but the first lease end now. */
	pass_ms(1);
	watch(device->id);
	run_turns();
	assert_true(is_told(device));
}

SCENE(many_are_reported_in_turn)
{
	struct script_device *device = add_device();

	connect_device(device);
	for (unsigned i = 0; i < MANY; i++)
		watch(id_of(100000 + i));
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
	assert_int_equal(strncmp(hint, "shows:", strlen("shows:")), 0);
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
