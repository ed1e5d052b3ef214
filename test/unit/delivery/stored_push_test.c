/* The worker that stored a push shows it without reading it back, unless another change came
 * before: then it loads the panel. In both cases the panel has the same content in the end. */
#include "panels.h"
#include "served.h"

static struct stored_push temporary(int64_t generation)
{
	return (struct stored_push){
	    .generation = generation, .picture = STR("pushed"), .duration_s = 10};
}

static struct stored_push installation(int64_t generation, const char *id, bool in_background)
{
	return (struct stored_push){.generation = generation,
				    .picture = STR("pushed"),
				    .installation_id = str_from(id),
				    .in_background = in_background};
}

/* Stores as the statement does. */
static void store(struct script_device *device, const struct stored_push *push)
{
	device->generation = push->generation;
	device->push.generation = push->generation;
	device->push.picture = "pushed";
	device->push.duration_s = push->duration_s;
	device->push.created_us = script_wall_us();
}

#define SCENE(function) TEST_IN(function, serve_begin, serve_end)

SCENE(a_temporary_image_is_shown_without_a_load)
{
	struct script_device *device = add_device();
	struct script_socket *socket;
	struct stored_push push;

	add_installation(device, "one", "first");
	socket = connect_device(device);
	panel_says(socket, "{\"queued\":0}");
	panel_says(socket, "{\"displaying\":0}");
	sent_to(socket);
	push = temporary(3);
	store(device, &push);
	delivery_push_stored(served, device->id, &push);
	delivery_push_answered(served, device->id, 3);
	assert_string_equal(sent_to(socket), ""); /* later, from the loop */
	assert_int_equal(loads_asked(), 0);
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":10} <pushed> {\"immediate\":true} ");
	/* The worker's own hint arrives, and changes nothing. */
	hint("%s", hints_sent());
	assert_int_equal(loads_asked(), 0);
	/* The next push, too. */
	push = temporary(4);
	store(device, &push);
	delivery_push_stored(served, device->id, &push);
	assert_int_equal(loads_asked(), 0);
	assert_string_equal(sent_to(socket), "{\"dwell_secs\":10} <pushed> {\"immediate\":true} ");
}

/* The clock of the turn's database is ahead, but the push is newer nevertheless. */
SCENE(it_is_newer_than_the_last_turn)
{
	struct script_device *device = add_device();
	struct stored_push pushes[] = {temporary(3), installation(4, "new", false)};
	struct panel *panel;

	add_installation(device, "one", "first");
	panel = panel_of_device(device);
	panel->content.turned_us = script_wall_us() + 5 * 1000 * 1000;
	delivery_push_stored(served, device->id, &pushes[0]);
	assert_string_equal(poll(device), "pushed 10");
	delivery_push_stored(served, device->id, &pushes[1]);
	assert_string_equal(poll(device), "pushed 15");
}

SCENE(a_new_installation_is_at_the_end)
{
	struct script_device *device = add_device();
	struct stored_push push = installation(3, "new", false);
	struct panel *panel;

	add_installation(device, "one", "first");
	panel = panel_of_device(device);
	delivery_push_stored(served, device->id, &push);
	assert_int_equal(loads_asked(), 0);
	assert_int_equal(panel->generation, 3);
	assert_int_equal(panel->content.installation_count, 2);
	assert_true(str_equal(panel->content.installations[1].id, STR("new")));
	assert_int_equal(panel->content.installations[1].position, 3);
	assert_int_equal(panel->content.installations[1].picture_generation, 3);
	assert_true(panel->content.push.is_installation);
	assert_int_equal(panel->content.push.installation_position, 3);
	assert_int_equal(panel->content.push.duration_s, 15);
	assert_string_equal(poll(device), "pushed 15");
}

SCENE(an_installation_is_replaced_in_its_place)
{
	struct script_device *device = add_device();
	struct stored_push push = installation(4, "one", false);
	struct panel *panel;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	panel = panel_of_device(device);
	delivery_push_stored(served, device->id, &push);
	assert_int_equal(loads_asked(), 0);
	assert_int_equal(panel->content.installation_count, 2);
	assert_int_equal(panel->content.installations[0].position, 2);
	assert_int_equal(panel->content.installations[0].picture_generation, 4);
	assert_true(str_equal(panel->content.installations[0].picture.data, STR("pushed")));
	assert_int_equal(panel->content.push.installation_position, 2);
}

SCENE(in_the_background_it_waits_for_its_turn)
{
	struct script_device *device = add_device();
	struct stored_push push = installation(3, "new", true);

	add_installation(device, "one", "first");
	panel_of_device(device);
	delivery_push_stored(served, device->id, &push);
	assert_int_equal(loads_asked(), 0);
	assert_string_equal(poll(device), "first 15");
	assert_string_equal(poll(device), "pushed 15");
}

SCENE(it_takes_the_place_of_a_temporary_image)
{
	struct script_device *device = add_device();
	struct stored_push first = temporary(2), second = installation(3, "new", false);
	struct panel *panel = panel_of_device(device);

	delivery_push_stored(served, device->id, &first);
	delivery_push_stored(served, device->id, &second);
	assert_int_equal(loads_asked(), 0);
	assert_null(panel->content.push.picture.data.data);
	assert_int_equal(panel->content.push.generation, 3);
}

SCENE(where_something_came_between_it_is_loaded)
{
	struct script_device *device = add_device();
	struct stored_push push = temporary(3);
	struct panel *panel = panel_of_device(device);

	device->brightness = 20; /* at generation 2, of which the hint is lost or late */
	store(device, &push);
	delivery_push_stored(served, device->id, &push);
	assert_int_equal(panel->generation, 1);
	assert_int_equal(loads_asked(), 1);
	answer_loads();
	assert_int_equal(panel->content.settings.brightness, 20);
	assert_string_equal(poll(device), "pushed 10");
}

SCENE(while_it_is_loading_it_is_loaded_again)
{
	struct script_device *device = add_device();
	struct stored_push push = temporary(2);
	struct panel *panel = panel_of_device(device);

	pass_ms(2000);
	delivery_connect(served, panel, &(struct panel_lookup){0}, NULL);
	assert_int_equal(loads_asked(), 1);
	delivery_push_stored(served, device->id, &push);
	answer_load(); /* as before the push */
	assert_int_equal(panel->generation, 1);
	store(device, &push);
	answer_loads();
	assert_int_equal(panel->generation, 2);
	assert_true(str_equal(panel->content.push.picture.data, STR("pushed")));
}

SCENE(what_is_older_or_of_nobody_here_changes_nothing)
{
	struct script_device *device = add_device();
	struct stored_push push = temporary(1);
	struct panel *panel = panel_of_device(device);

	delivery_push_stored(served, device->id, &push);
	delivery_push_stored(served, id_of(77), &push);
	assert_int_equal(loads_asked(), 0);
	assert_int_equal(panel->content.push.generation, 0);
}

SCENE(a_later_load_changes_nothing)
{
	struct script_device *device = add_device();
	struct stored_push push = temporary(2);
	struct panel *panel = panel_of_device(device);

	delivery_push_stored(served, device->id, &push);
	assert_string_equal(poll(device), "pushed 10");
	store(device, &push);
	device->generation = 3;
	delivery_device_changed(served, device->id, 3);
	answer_loads();
	assert_int_equal(panel->generation, 3);
	assert_true(str_equal(panel->content.push.picture.data, STR("pushed")));
	assert_int_not_equal(panel->content.push.displayed_us, 0);
}

SCENE(where_memory_is_short_an_installation_is_fetched)
{
	struct delivery_limits limits = {.picture_bytes = 1};
	struct script_device *device = add_device();
	struct stored_push push = installation(3, "new", false);
	struct panel *panel;

	delivery_set_limits(served, &limits);
	add_installation(device, "one", "first");
	panel = panel_of_device(device);
	delivery_push_stored(served, device->id, &push);
	assert_int_equal(panel->generation, 3);
	assert_null(panel->content.installations[1].picture.data.data);
	assert_int_equal(panel->content.installations[1].picture_generation, 3);
}

RUN_TESTS(NULL, NULL)
