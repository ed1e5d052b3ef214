/* The answers to a panel that polls, also if its picture is not in memory. */
#include "panels.h"
#include "served.h"

#include <stdio.h>

#define SCENE(function) TEST_IN(function, serve_begin, serve_end)

SCENE(the_rotation_goes_on_with_each_poll)
{
	struct script_device *device = add_device();

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	assert_string_equal(poll(device), "first 15");
	assert_string_equal(poll(device), "second 15");
	assert_string_equal(poll(device), "first 15");
}

SCENE(a_peek_changes_nothing)
{
	struct script_device *device = add_device();
	struct panel_lookup lookup = {0};
	struct poll_picture picture;
	struct arena arena = {0};

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	assert_true(delivery_poll(served, panel_of_device(device), &lookup, /* is_peek= */ true,
				  &arena, &picture));
	assert_true(str_equal(picture.webp, STR("first")));
	assert_int_equal(picture.brightness, 60);
	arena_finish(&arena);
	assert_string_equal(poll(device), "first 15");
}

SCENE(a_push_is_displayed_when_it_is_served)
{
	struct script_device *device = add_device();

	add_installation(device, "one", "first");
	device->push.generation = ++device->generation;
	device->push.picture = "pushed";
	device->push.duration_s = 10;
	device->push.created_us = script_wall_us();
	assert_string_equal(poll(device), "pushed 10");
	assert_int_equal(cursor_shown_us(script_cursors, device->id, device->generation),
			 script_wall_us());
	assert_string_equal(poll(device), "first 15");
	pass_ms(500);
	assert_int_equal(asked_count(STATEMENT_SHOWING_DISPLAYED), 1);
}

/* A poll for a picture that must be read first, as the endpoint does it. */
struct waiting_poll {
	struct panel_lookup lookup;
	struct arena arena;
	struct poll_picture picture;
	bool is_answered;
	unsigned tries;
};

static void try_poll(struct waiting_poll *waiting, struct panel *panel)
{
	waiting->tries++;
	waiting->is_answered = delivery_poll(served, panel, &waiting->lookup, /* is_peek= */ false,
					     &waiting->arena, &waiting->picture);
}

static void on_found(struct panel_lookup *lookup, struct panel *panel)
{
	struct waiting_poll *waiting = container_of(lookup, struct waiting_poll, lookup);

	assert_non_null(panel);
	try_poll(waiting, panel);
}

/* Begins a poll whose key was checked. */
static void begin_poll(struct waiting_poll *waiting, const struct script_device *device)
{
	struct panel *panel = panel_of_device(device);

	*waiting = (struct waiting_poll){.lookup = {.done = on_found}};
	key_hash(str_from(device->key), waiting->lookup.way.key_hash);
	try_poll(waiting, panel);
}

static struct script_device *begin_short_of_memory(void)
{
	struct delivery_limits limits = {.picture_bytes = 1};
	struct script_device *device = add_device();

	delivery_set_limits(served, &limits);
	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	assert_string_equal(poll(device), "first 15");
	return device;
}

SCENE(a_picture_out_of_memory_is_fetched)
{
	struct script_device *device = begin_short_of_memory();
	struct waiting_poll waiting, other;

	begin_poll(&waiting, device);
	begin_poll(&other, device);
	assert_false(waiting.is_answered || other.is_answered);
	assert_int_equal(asked_count(STATEMENT_PANEL_PICTURE), 1); /* for both */
	begin_rows(2);
	add_integer(device->installations[1].generation);
	add_value_text("second");
	answer(asked(STATEMENT_PANEL_PICTURE));
	assert_true(waiting.is_answered);
	assert_true(str_equal(waiting.picture.webp, STR("second")));
	assert_null(panel_of_device(device)->content.installations[1].picture.data.data);
	/* The other one gets the next picture, which is not in memory either. */
	assert_false(other.is_answered);
	begin_rows(2);
	add_integer(device->installations[0].generation);
	add_value_text("first");
	answer(asked(STATEMENT_PANEL_PICTURE));
	assert_true(str_equal(other.picture.webp, STR("first")));
	arena_finish(&waiting.arena);
	arena_finish(&other.arena);
}

static void push_temporary(struct script_device *device, const char *picture)
{
	struct stored_push push = {
	    .generation = ++device->generation, .picture = str_from(picture), .duration_s = 10};

	device->push.generation = push.generation;
	device->push.picture = picture;
	device->push.duration_s = push.duration_s;
	device->push.created_us = script_wall_us();
	delivery_push_stored(served, device->id, &push);
	run_turns();
}

static void answer_push_picture(const char *picture)
{
	begin_rows(1);
	if (picture)
		add_value_text(picture);
	answer(asked(STATEMENT_PANEL_PUSH_PICTURE));
}

SCENE(a_temporary_image_out_of_memory_is_fetched)
{
	struct delivery_limits limits = {.picture_bytes = 1};
	struct script_device *device = add_device(), *full = add_device();
	struct panel *panel = panel_of_device(device);
	struct waiting_poll waiting;

	delivery_set_limits(served, &limits);
	panel_of_device(full);
	push_temporary(full, "fills the memory");
	push_temporary(device, "pushed");
	assert_null(panel->content.push.picture.data.data);
	begin_poll(&waiting, device);
	assert_false(waiting.is_answered);
	/* Another push arrives meanwhile, so this picture is not shown. */
	push_temporary(device, "newer");
	answer_push_picture("pushed");
	assert_false(waiting.is_answered);
	answer_push_picture("newer");
	assert_true(waiting.is_answered);
	assert_true(str_equal(waiting.picture.webp, STR("newer")));
	assert_int_equal(waiting.picture.dwell_s, 10);
	assert_null(panel->content.push.picture.data.data);
	arena_finish(&waiting.arena);
}

SCENE(temporary_images_are_bound_and_go_when_they_are_over)
{
	enum { DEVICES = 50 };
	struct delivery_limits limits = {.picture_bytes = 100};
	struct script_device *devices[DEVICES];
	char pictures[DEVICES][16];

	delivery_set_limits(served, &limits);
	for (unsigned i = 0; i < DEVICES; i++) {
		devices[i] = add_device();
		panel_of_device(devices[i]);
		snprintf(pictures[i], sizeof(pictures[i]), "ten bytes %02u", i);
		push_temporary(devices[i], pictures[i]);
	}
	/* A single account may have half. */
	assert_in_range(panel_of_device(devices[0])->panels->pictures->bytes, 40, 60);
	/* The first one's time ends when the next picture is requested. */
	assert_string_equal(poll(devices[0]), "ten bytes 00 10");
	pass_ms(10 * 1000);
	poll(devices[0]);
	assert_null(panel_of_device(devices[0])->content.push.picture.data.data);
}

SCENE(a_picture_that_was_replaced_while_it_was_read_is_fetched_again)
{
	struct script_device *device = begin_short_of_memory(), *other = add_device();
	struct panel *panel = panel_of_device(device);
	struct stored_push filler = {.generation = 2, .picture = STR("filler"), .duration_s = 10};
	struct stored_push push = {.generation = panel->generation + 1,
				   .picture = STR("newer"),
				   .installation_id = STR("two"),
				   .in_background = true};
	struct waiting_poll waiting;

	panel_of_device(other);
	delivery_push_stored(served, other->id, &filler); /* stays in memory */
	begin_poll(&waiting, device);
	delivery_push_stored(served, device->id, &push);
	assert_int_equal(panel->generation, push.generation);
	begin_rows(2);
	add_integer(device->installations[1].generation);
	add_value_text("second");
	answer(asked(STATEMENT_PANEL_PICTURE));
	assert_false(waiting.is_answered);
	assert_int_equal(panel->content.installations[1].picture_generation, push.generation);
	begin_rows(2);
	add_integer(push.generation);
	add_value_text("newer");
	answer(asked(STATEMENT_PANEL_PICTURE));
	assert_true(waiting.is_answered);
	assert_true(str_equal(waiting.picture.webp, STR("newer")));
	arena_finish(&waiting.arena);
}

SCENE(after_some_tries_it_is_answered_all_the_same)
{
	struct script_device *device = begin_short_of_memory();
	struct waiting_poll waiting;

	begin_poll(&waiting, device);
	while (!waiting.is_answered) {
		begin_rows(2);
		answer(asked(STATEMENT_PANEL_PICTURE)); /* the installation is gone */
	}
	assert_int_equal(waiting.tries, 4);
	assert_int_equal(waiting.picture.dwell_s, 5);
	assert_true(waiting.picture.webp.length > 0);
	arena_finish(&waiting.arena);
	answer_nothing(asked(STATEMENT_PANEL_PICTURE), DB_UNAVAILABLE);
}

SCENE(without_a_database_what_is_in_memory_goes_on)
{
	struct delivery_limits limits = {.picture_bytes = 12};
	struct script_device *device = add_device();

	delivery_set_limits(served, &limits);
	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	add_installation(device, "three", "third");
	panel_of_device(device);
	limits.picture_bytes = 1000;
	delivery_set_limits(served, &limits);
	set_database_up(false);
	assert_string_equal(poll(device), "first 15");
	assert_string_equal(poll(device), "second 15");
	assert_string_equal(poll(device), "first 15");
}

RUN_TESTS(NULL, NULL)
