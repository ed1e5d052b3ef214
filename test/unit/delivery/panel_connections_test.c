/* Messages to panels with a WebSocket, and the end of connections. */
#include "base/limits.h"
#include "panels.h"
#include "served.h"

#include <stdio.h>

#define SCENE(function) TEST_IN(function, serve_begin, serve_end)

SCENE(a_picture_goes_with_its_dwell_and_brightness)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	socket = connect_device(device);
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} {\"brightness\":60} <first> ");
	pass_ms(15 * 1000);
	assert_string_equal(sent_to(socket), ""); /* it is the only one, and loops */
}

SCENE(the_rotation_goes_on_when_the_panel_displays)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	socket = connect_device(device);
	sent_to(socket);
	panel_says(socket, "{\"queued\":0}");
	assert_string_equal(sent_to(socket), "");
	panel_says(socket, "{\"displaying\":0}");
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} <second> ");
	/* A panel that reconnects, perhaps to another worker, continues there. */
	assert_int_equal(cursor_get(script_cursors, device->id).position,
			 device->installations[0].position);
}

/* The form does not matter, but values must be numbers. */
SCENE(a_panel_may_write_its_messages_as_json_has_it)
{
	static const char *const none[] = {"{\"displaying\":}",
					   "{\"displaying\":00}",
					   "{\"displaying\":01}",
					   "{\"displaying\":-1}",
					   "{\"displaying\":+1}",
					   "{\"displaying\":1.5}",
					   "{\"displaying\":1",
					   "{\"displaying\":1]",
					   "{\"displaying\":\"1\"}",
					   "{\"displaying\":1}}",
					   "{\"displaying\":0x1}",
					   "{\"displaying\": 1 }}",
					   "{\"displaying\":99999999999999999999}"};
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	socket = connect_device(device);
	sent_to(socket);
	panel_says(socket, " {\"queued\" : 1} ");
	for (unsigned i = 0; i < array_length(none); i++) {
		panel_says(socket, none[i]);
		assert_string_equal(sent_to(socket), "");
	}
	panel_says(socket, "{ \"displaying\": 1 }");
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} <second> ");
	panel_says(socket, "{\"queued\":2}");
	panel_says(socket, "{\"displaying\":2}");
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} <first> ");
}

SCENE(a_push_comes_at_once)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	socket = connect_device(device);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	sent_to(socket);
	device->push.generation = ++device->generation;
	device->push.picture = "pushed";
	device->push.duration_s = 10;
	device->push.created_us = script_wall_us();
	delivery_device_changed(served, device->id, device->generation);
	answer_loads();
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":10} <pushed> {\"immediate\":true} ");
	panel_says(socket, "{\"queued\":1}");
	panel_says(socket, "{\"displaying\":1}");
	assert_int_equal(cursor_shown_us(script_cursors, device->id, device->generation),
			 script_wall_us());
}

SCENE(brightness_goes_alone_and_at_once)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	socket = connect_device(device);
	sent_to(socket);
	device->brightness = 20;
	delivery_device_changed(served, device->id, ++device->generation);
	answer_loads();
	assert_string_equal(sent_to(socket), "{\"brightness\":20} ");
}

SCENE(all_links_of_a_panel_follow)
{
	struct script_device *device = add_device();
	struct script_socket *one, *two;

	one = connect_device(device);
	two = connect_device(device);
	sent_to(one), sent_to(two);
	device->brightness = 20;
	delivery_device_changed(served, device->id, ++device->generation);
	answer_loads();
	assert_string_equal(sent_to(one), "{\"brightness\":20} ");
	assert_string_equal(sent_to(two), "{\"brightness\":20} ");
	close_socket(one);
	device->brightness = 30;
	delivery_device_changed(served, device->id, ++device->generation);
	answer_loads();
	assert_string_equal(sent_to(two), "{\"brightness\":30} ");
}

SCENE(what_another_worker_answered_comes_before_the_next_frame)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	socket = connect_device(device);
	sent_to(socket);
	device->brightness = 20;
	device->generation++;
	device->installations[1].picture = "newer";
	device->installations[1].generation = device->generation;
	change_note(change_counter_of(script_changes, device->id));
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	assert_string_equal(sent_to(socket), "");
	answer_loads();
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} {\"brightness\":20} <newer> ");
}

SCENE(while_the_database_is_away_frames_come_from_memory)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	socket = connect_device(device);
	sent_to(socket);
	change_note(change_counter_of(script_changes, device->id));
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	fail_load();
	run_turns();
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} <second> ");
}

static void push_to(struct script_device *device, const char *picture)
{
	struct stored_push push = {
	    .generation = ++device->generation, .picture = str_from(picture), .duration_s = 10};

	delivery_push_stored(served, device->id, &push);
	run_turns();
}

SCENE(of_many_pushes_to_a_panel_that_does_not_read_it_gets_the_newest)
{
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	socket = connect_device(device);
	sent_to(socket);
	push_to(device, "pushed");
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":10} <pushed> {\"immediate\":true} ");
	socket->pending_bytes = 1;
	push_to(device, "second");
	push_to(device, "third");
	pass_ms(20 * 1000);
	push_to(device, "newest");
	assert_string_equal(sent_to(socket), "");
	drain_socket(socket);
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":10} <newest> {\"immediate\":true} ");
}

SCENE(a_client_that_left_before_its_answer_is_not_online)
{
	struct script_device *device = add_device();
	struct panel *panel = panel_of_device(device);
	int64_t since_us;

	clients_have_left = true;
	delivery_connect(served, panel, &(struct panel_lookup){0}, NULL);
	assert_false(cursor_contact(script_cursors, device->id).is_linked);
	assert_false(delivery_is_online(served, device->id, 0, true, &since_us));
	clients_have_left = false;
	connect_device(device);
	assert_true(delivery_is_online(served, device->id, 0, true, &since_us));
	close_socket(script_socket);
	assert_false(delivery_is_online(served, device->id, 0, true, &since_us));
}

static bool is_online(const struct script_device *device, int64_t seconds_ago)
{
	int64_t since_us;

	return delivery_is_online(served, device->id, script_wall_us() - seconds_ago * 1000 * 1000,
				  /* has_connected= */ true, &since_us);
}

/* The database knows a panel that polls another instance, or that polled before a restart; it may
 * have to wait for almost five minutes. */
SCENE(a_panel_that_is_to_poll_again_is_online)
{
	struct script_device *device = add_device();
	int64_t since_us;

	assert_true(is_online(device, 300));
	assert_false(is_online(device, 400));
	assert_false(delivery_is_online(served, device->id, script_wall_us(),
					/* has_connected= */ false, &since_us));
	/* Contacts with this instance count, unless something happened later at another one. */
	connect_device(device);
	assert_true(is_online(device, 4000));
	close_socket(script_socket);
	pass_ms(100 * 1000);
	assert_false(is_online(device, 110));
	assert_false(is_online(device, 99));
	pass_ms(200 * 1000);
	assert_true(is_online(device, 200));
	assert_false(is_online(device, 299));
	poll(device);
	pass_ms(300 * 1000);
	assert_true(is_online(device, 4000));
	pass_ms(100 * 1000);
	assert_false(is_online(device, 4000));
	pass_ms(300 * 1000);
	assert_true(is_online(device, 350));
	assert_false(is_online(device, 360));
}

SCENE(another_key_ends_the_link)
{
	struct script_device *device = add_device();
	struct script_socket *socket = connect_device(device);

	device->key = "another-key-of-the-panel";
	delivery_device_changed(served, device->id, ++device->generation);
	answer_loads();
	assert_true(socket->is_dropped);
	/* Messages that arrive before the close are ignored. */
	panel_says(socket, "{\"displaying\":0}");
}

SCENE(a_device_that_is_disabled_or_removed_ends_the_link)
{
	struct script_device *disabled = add_device();
	struct script_device *removed = add_device();
	struct script_socket *one = connect_device(disabled);
	struct script_socket *two = connect_device(removed);

	disabled->is_disabled = true;
	delivery_device_changed(served, disabled->id, ++disabled->generation);
	removed->is_gone = true;
	delivery_device_changed(served, removed->id, ++removed->generation);
	assert_false(one->is_dropped || two->is_dropped);
	answer_loads();
	assert_true(one->is_dropped);
	assert_true(two->is_dropped);
}

SCENE(the_oldest_of_too_many_links_is_dropped)
{
	struct script_device *device = add_device();
	struct script_socket *sockets[LIMIT_PANEL_LINKS + 1];

	for (unsigned i = 0; i < LIMIT_PANEL_LINKS; i++)
		sockets[i] = connect_device(device);
	assert_false(sockets[0]->is_dropped);
	sockets[LIMIT_PANEL_LINKS] = connect_device(device);
	assert_true(sockets[0]->is_dropped);
	for (unsigned i = 1; i <= LIMIT_PANEL_LINKS; i++)
		assert_false(sockets[i]->is_dropped);
}

SCENE(what_is_not_understood_is_ignored)
{
	static const char *const texts[] = {
	    "",
	    "x",
	    "[]",
	    "1",
	    "{\"queued\":\"1\"}",
	    "{\"displaying\":1.5}",
	    "{\"new\":{}}",
	    "{\"client_info\":3}",
	    "{\"client_info\":{\"mac\":[]}}",
	};
	struct script_device *device = add_device();
	struct script_socket *socket;

	add_installation(device, "one", "first");
	socket = connect_device(device);
	sent_to(socket);
	for (size_t i = 0; i < array_length(texts); i++)
		panel_says(socket, texts[i]);
	assert_false(socket->is_dropped);
	assert_string_equal(sent_to(socket), "");
}

SCENE(an_old_panel_is_read_when_a_display_connects)
{
	struct script_device *device = add_device();

	panel_of_device(device);
	delivery_connect(served, panel_of_device(device), &(struct panel_lookup){0}, NULL);
	assert_int_equal(loads_asked(), 0); /* read within this second */
	pass_ms(1001);
	delivery_connect(served, panel_of_device(device), &(struct panel_lookup){0}, NULL);
	assert_int_equal(loads_asked(), 1);
	answer_loads();
}

SCENE(a_picture_out_of_memory_is_fetched_and_dropped_again)
{
	struct delivery_limits limits = {.picture_bytes = 1};
	struct script_device *device = add_device();
	struct script_socket *socket;
	struct panel *panel;

	delivery_set_limits(served, &limits);
	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	socket = connect_device(device);
	panel = panel_of_device(device);
	/* The first one was still allowed. */
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} {\"brightness\":60} <first> ");
	assert_null(panel->content.installations[0].picture.data.data);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	assert_string_equal(sent_to(socket), "");
	begin_rows(2);
	add_integer(device->installations[1].generation);
	add_value_text("second");
	answer(asked(STATEMENT_PANEL_PICTURE));
	run_turns();
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":15} <second> ");
	assert_null(panel->content.installations[1].picture.data.data);
}

SCENE(a_draining_worker_sends_its_panels_away)
{
	struct script_socket *socket = connect_device(add_device());

	delivery_drain(served);
	assert_true(socket->is_dropped);
	assert_int_equal(asked_count(STATEMENT_DEVICE_SEEN), 1);
}

/* Sends frames until the socket is dropped. While they come, a few more are allowed. */
static unsigned live_until_dropped(struct script_socket *socket, unsigned at_most)
{
	unsigned count = 0;

	while (!socket->is_dropped && count < at_most) {
		panel_lives(socket);
		count++;
	}
	return count;
}

SCENE(frames_count_for_the_device)
{
	enum { EACH = LIMIT_WEBSOCKET_FRAMES_PER_MINUTE / 4 };
	struct script_device *device = add_device(), *other = add_device();
	unsigned sum = 0, last = EACH;

	for (unsigned connections = 0; connections < 8 && last == EACH; connections++) {
		struct script_socket *socket = connect_device(device);

		last = live_until_dropped(socket, EACH);
		sum += last;
		close_socket(socket);
	}
	assert_in_range(last, 1, EACH - 1);
	assert_in_range(sum, LIMIT_WEBSOCKET_FRAMES_PER_MINUTE,
			2 * LIMIT_WEBSOCKET_FRAMES_PER_MINUTE);
	assert_int_equal(live_until_dropped(connect_device(other), EACH), EACH);
	assert_false(script_socket->is_dropped);
}

RUN_TESTS(NULL, NULL)
