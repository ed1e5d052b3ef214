/* Loads of many panels at once, and the effects of hints, failures and removed devices. */
#include "loader.h"
#include "panel_rows.h"
#include "script.h"

static struct pictures pictures;
static struct account_shares shares;
static struct panels panels;
static struct loader loader;
static unsigned loaded_count, locked_out_count, failed_count, gone_count;
static bool loads_again; /* once, after a panel was loaded */

static void on_gone(void *context, struct panel *panel)
{
	(void)context;
	loader_forget(panel);
	gone_count++;
}

static void on_loaded(void *context, struct panel *panel, enum load_outcome outcome)
{
	assert_ptr_equal(context, &panels);
	assert_int_equal(panel->state, PANEL_READY);
	loaded_count += outcome == LOAD_DONE;
	locked_out_count += outcome == LOAD_LOCKED_OUT;
	failed_count += outcome == LOAD_FAILED;
	if (loads_again)
		loader_load(&loader, panel);
	loads_again = false;
}

static int begin(void **state)
{
	script_begin(state);
	forget_devices();
	loaded_count = locked_out_count = failed_count = gone_count = 0;
	pictures_init(&pictures, 1000);
	panels = (struct panels){
	    .db = script_db,
	    .loop = &script_loop,
	    .pictures = &pictures,
	    .shares = &shares,
	    .cursors = script_cursors,
	    .changes = script_changes,
	    .max = 1000,
	    .unused_ms = 1000,
	    .on_gone = on_gone,
	};
	panels_init(&panels);
	loader = (struct loader){.loop = &script_loop,
				 .db = script_db,
				 .panels = &panels,
				 .on_loaded = on_loaded,
				 .context = &panels};
	loader_init(&loader);
	return 0;
}

static int end(void **state)
{
	panels_finish(&panels);
	loader_finish(&loader);
	pictures_finish(&pictures);
	account_shares_finish(&shares);
	return script_end(state);
}

static struct panel *load(struct script_device *device)
{
	struct panel *panel = panels_create(&panels, device->id);

	loader_load(&loader, panel);
	return panel;
}

static struct str picture_at(const struct panel *panel, unsigned index)
{
	return panel->content.installations[index].picture.data;
}

#define SCENE(function) TEST_IN(function, begin, end)

SCENE(a_device_and_its_pictures_come)
{
	struct script_device *device = add_device();
	struct panel *panel;

	add_installation(device, "one", "first");
	add_installation(device, "two", "second");
	device->push.generation = ++device->generation;
	device->push.picture = "pushed";
	device->push.duration_s = 10;
	device->push.created_us = script_wall_us();
	device->push.duration_s = 10;
	panel = load(device);
	assert_int_equal(panel->state, PANEL_NEW);
	answer_loads();
	assert_int_equal(loaded_count, 1);
	assert_int_equal(panel->generation, 4);
	assert_int_equal(panel->content.installation_count, 2);
	assert_true(str_equal(picture_at(panel, 0), STR("first")));
	assert_true(str_equal(picture_at(panel, 1), STR("second")));
	assert_true(str_equal(panel->content.push.picture.data, STR("pushed")));
	assert_int_equal(panel->content.settings.brightness, 60);
}

SCENE(so_many_leave_as_one_and_so_many_are_under_way)
{
	struct id ids[64];

	for (unsigned i = 0; i < 200; i++)
		load(add_device());
	assert_int_equal(loads_asked(), 2);
	assert_int_equal(id_array(asked(STATEMENT_PANEL_LOAD), 0, ids), 64);
	assert_true(id_equal(ids[0], id_of(1)) && id_equal(ids[63], id_of(64)));
	answer_load();
	assert_int_equal(loaded_count, 64);
	assert_int_equal(loads_asked(), 2);
	answer_load();
	answer_load();
	assert_int_equal(loads_asked(), 1);
	assert_int_equal(id_array(asked(STATEMENT_PANEL_INSTALLATIONS), 0, ids), 8);
	answer_load();
	assert_int_equal(loaded_count, 200);
}

SCENE(accounts_take_turns)
{
	struct script_device *other;
	struct id ids[64];

	for (unsigned i = 0; i < 200; i++)
		load(add_device());
	other = add_device();
	other->account = 1;
	load(other);
	answer_loads();
	for (unsigned i = 1; i <= 200; i++)
		loader_changed(&loader, id_of(i), 2);
	loader_changed(&loader, other->id, 2);
	assert_int_equal(loads_asked(), 2);
	id_array(asked(STATEMENT_PANEL_LOAD), 0, ids);
	assert_true(id_equal(ids[0], id_of(1)) && id_equal(ids[1], other->id));
	answer_loads();
}

SCENE(of_too_many_panels_one_of_the_largest_account_goes)
{
	struct script_device *first = add_device(), *second;

	panels.max = 10;
	first->account = 1;
	load(first);
	answer_loads();
	for (unsigned i = 0; i < 100; i++) {
		second = add_device();
		load(second);
		answer_loads();
	}
	assert_int_equal(panels.by_id.count, 10);
	assert_non_null(panels_find(&panels, first->id));
	assert_non_null(panels_find(&panels, second->id));
}

SCENE(asking_twice_is_asking_once)
{
	struct panel *panel = load(add_device());
	struct id ids[64];

	loader_load(&loader, panel);
	assert_int_equal(loads_asked(), 1);
	loader_load(&loader, panel);
	assert_int_equal(loads_asked(), 1);
	assert_int_equal(id_array(asked(STATEMENT_PANEL_LOAD), 0, ids), 1);
	answer_loads();
	assert_int_equal(loaded_count, 1);
}

static bool is_fresh(struct panel *panel)
{
	uint32_t number;

	return loader_freshen(&loader, panel, &number);
}

/* Another worker of this instance has answered a change. */
static void answered_elsewhere(const struct panel *panel)
{
	change_note(change_counter_of(script_changes, panel->id));
}

SCENE(what_another_worker_answered_is_loaded_before_its_hint)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	answer_loads();
	assert_true(is_fresh(panel));
	answered_elsewhere(panel);
	device->generation = 2;
	assert_false(is_fresh(panel));
	assert_int_equal(loads_asked(), 1);
	assert_false(is_fresh(panel));
	answer_loads();
	assert_true(is_fresh(panel));
	assert_int_equal(panel->generation, 2);
	/* Its hint arrives late, and changes nothing. */
	loader_changed(&loader, device->id, 2);
	assert_int_equal(loads_asked(), 0);
	assert_int_equal(loaded_count, 2);
}

SCENE(a_load_that_began_before_the_change_is_followed_by_another)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);
	uint32_t early, late, later;

	assert_int_equal(loads_asked(), 1);
	assert_false(loader_freshen(&loader, panel, &early));
	assert_int_equal(early, 1); /* the load under way */
	answered_elsewhere(panel);
	assert_false(loader_freshen(&loader, panel, &late));
	assert_false(loader_freshen(&loader, panel, &later));
	assert_int_equal(late, 2);
	assert_int_equal(later, 2);
	answer_load();
	assert_int_equal(panel->loads_done, 1);
	assert_false(is_fresh(panel));
	assert_int_equal(loads_asked(), 1);
	answer_loads();
	assert_int_equal(panel->loads_done, 2);
	assert_true(is_fresh(panel));
	assert_int_equal(loaded_count, 2);
}

SCENE(the_hint_of_an_own_change_is_no_reason_to_load_twice)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	answer_loads();
	/* The panel has taken the push, and then its worker answers it. */
	panel->generation = 2;
	loader_note_change(&loader, device->id, 2);
	assert_true(is_fresh(panel));
	/* Another change was made between. */
	answered_elsewhere(panel);
	panel->generation = 4;
	loader_note_change(&loader, device->id, 4);
	device->generation = 4;
	assert_false(is_fresh(panel));
	answer_loads();
	assert_true(is_fresh(panel));
	loader_note_change(&loader, device->id, 5);
	assert_false(is_fresh(panel));
	answer_loads();
}

SCENE(a_load_that_failed_is_not_repeated_for_the_same_change)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	answer_loads();
	answered_elsewhere(panel);
	assert_false(is_fresh(panel));
	assert_int_equal(loads_asked(), 1);
	fail_load();
	assert_true(is_fresh(panel));
	assert_int_equal(loads_asked(), 0);
	answered_elsewhere(panel);
	assert_false(is_fresh(panel));
	answer_loads();
}

SCENE(a_hint_loads_what_is_older)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);
	int64_t known[64];

	answer_loads();
	loader_changed(&loader, device->id, 1);
	loader_changed(&loader, id_of(99), 7); /* not here */
	assert_int_equal(loads_asked(), 0);
	add_installation(device, "one", "first");
	loader_changed(&loader, device->id, 2);
	assert_false(is_fresh(panel));
	assert_int_equal(loads_asked(), 1);
	int8_array(asked(STATEMENT_PANEL_INSTALLATIONS), 1, known);
	assert_int_equal(known[0], 1); /* only newer pictures */
	answer_loads();
	assert_true(is_fresh(panel));
	assert_int_equal(panel->generation, 2);
	assert_true(str_equal(picture_at(panel, 0), STR("first")));
}

SCENE(pictures_that_are_known_stay)
{
	struct script_device *device = add_device();
	struct panel *panel;

	add_installation(device, "one", "first");
	panel = load(device);
	answer_loads();
	add_installation(device, "two", "second");
	loader_changed(&loader, device->id, device->generation);
	answer_loads();
	assert_true(str_equal(picture_at(panel, 0), STR("first")));
	assert_true(str_equal(picture_at(panel, 1), STR("second")));
	assert_int_equal(pictures.by_bytes.count, 2);
}

/* The database marks the other rows as repetitions. */
SCENE(a_picture_that_many_take_comes_once)
{
	static const char *const pushed[] = {"all", "all", "all", "own", "all", NULL, "all", "all"};
	struct panel *loaded[array_length(pushed)];

	for (unsigned i = 0; i < array_length(pushed); i++) {
		struct script_device *device = add_device();

		device->push.generation = pushed[i] ? ++device->generation : 0;
		device->push.picture = pushed[i];
		device->push.duration_s = 10;
		device->push.created_us = script_wall_us();
		loaded[i] = load(device);
	}
	answer_loads();
	for (unsigned i = 0; i < array_length(pushed); i++) {
		struct str bytes = loaded[i]->content.push.picture.data;

		if (pushed[i])
			assert_true(str_equal(bytes, str_from(pushed[i])));
		else
			assert_null(bytes.data);
	}
	assert_int_equal(pictures.by_bytes.count, 2);
}

static void push(struct script_device *device, const char *picture)
{
	device->push.generation = ++device->generation;
	device->push.picture = picture;
	device->push.duration_s = 10;
	device->push.created_us = script_wall_us();
}

SCENE(of_a_push_only_the_push_is_read)
{
	struct script_device *device = add_device();
	struct panel *panel;
	int64_t known[64];

	add_installation(device, "one", "first");
	panel = load(device);
	answer_loads();
	push(device, "pushed");
	loader_pushed(&loader, device->id, 3);
	loader_pushed(&loader, device->id, 3);
	assert_false(is_fresh(panel));
	run_turns();
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD), 0);
	int8_array(asked(STATEMENT_PANEL_PUSHES), 1, known);
	assert_int_equal(known[0], 2);
	answer_loads();
	assert_true(is_fresh(panel));
	assert_int_equal(loaded_count, 2);
	assert_int_equal(panel->generation, 3);
	assert_true(str_equal(panel->content.push.picture.data, STR("pushed")));
	assert_int_equal(panel->content.push.duration_s, 10);
	assert_true(str_equal(picture_at(panel, 0), STR("first")));
}

SCENE(a_pushed_installation_is_read_alone_too)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	answer_loads();
	add_installation(device, "one", "shown");
	device->push.generation = device->generation;
	device->push.installation = "one";
	loader_pushed(&loader, device->id, 2);
	answer_loads();
	assert_true(str_equal(picture_at(panel, 0), STR("shown")));
	assert_int_equal(panel->content.push.generation, 2);
	assert_int_equal(panel->content.push.installation_position, 2);
	/* Load in the background: the shown picture stays. */
	add_installation(device, "two", "waits");
	loader_pushed(&loader, device->id, 3);
	run_turns();
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD), 0);
	answer_loads();
	assert_true(str_equal(picture_at(panel, 1), STR("waits")));
	assert_int_equal(panel->content.push.generation, 2);
	assert_int_equal(panel->generation, 3);
}

SCENE(where_more_than_a_push_is_new_all_is_read)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	answer_loads();
	/* The hint of the previous change was lost. */
	add_installation(device, "one", "first");
	push(device, "pushed");
	loader_pushed(&loader, device->id, 3);
	run_turns();
	assert_int_equal(asked_count(STATEMENT_PANEL_PUSHES), 0);
	answer_loads();
	assert_true(str_equal(panel->content.push.picture.data, STR("pushed")));
	assert_true(str_equal(picture_at(panel, 0), STR("first")));
	/* A change was committed before the push was read. */
	push(device, "next");
	loader_pushed(&loader, device->id, 4);
	assert_int_equal(loads_asked(), 1);
	assert_int_equal(asked_count(STATEMENT_PANEL_PUSHES), 1);
	device->generation++;
	device->brightness = 30;
	answer_load();
	assert_int_equal(panel->generation, 3);
	assert_int_equal(loads_asked(), 1);
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD), 1);
	answer_loads();
	assert_int_equal(panel->generation, 5);
	assert_int_equal(panel->content.settings.brightness, 30);
	assert_true(str_equal(panel->content.push.picture.data, STR("next")));
	assert_int_equal(loads_asked(), 0);
}

SCENE(who_wants_all_waits_for_more_than_a_push)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	answer_loads();
	/* The panel waits until a push is loaded. */
	push(device, "pushed");
	loader_pushed(&loader, device->id, 2);
	loader_load(&loader, panel);
	run_turns();
	assert_int_equal(asked_count(STATEMENT_PANEL_PUSHES), 0);
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD), 1);
	answer_loads();
	/* The push is being read. */
	push(device, "next");
	loader_pushed(&loader, device->id, 3);
	assert_int_equal(loads_asked(), 1);
	loader_load(&loader, panel);
	answer_load();
	assert_int_equal(panel->generation, 3);
	assert_int_equal(loads_asked(), 1);
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD), 1);
	answer_loads();
	assert_int_equal(loads_asked(), 0);
}

SCENE(a_push_that_cannot_be_read_leaves_what_is_there)
{
	struct script_device *device = add_device(), *gone = add_device();
	struct panel *panel = load(device);

	load(gone);
	answer_loads();
	push(device, "pushed");
	loader_pushed(&loader, device->id, 2);
	assert_int_equal(loads_asked(), 1);
	fail_load();
	assert_int_equal(failed_count, 1);
	assert_int_equal(panel->generation, 1);
	assert_int_equal(loads_asked(), 0);
	loader_pushed(&loader, device->id, 2);
	answer_loads();
	assert_int_equal(panel->generation, 2);
	gone->is_gone = true;
	loader_pushed(&loader, gone->id, 2);
	answer_loads();
	assert_int_equal(gone_count, 1);
}

SCENE(a_hint_during_a_load_loads_once_more)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	assert_int_equal(loads_asked(), 1);
	loader_changed(&loader, device->id, 2);
	answer_load();
	assert_int_equal(panel->generation, 1);
	assert_true(panel_is_loading(panel));
	device->generation = 2;
	assert_int_equal(loads_asked(), 1);
	answer_load();
	assert_int_equal(panel->generation, 2);
	assert_int_equal(loads_asked(), 0);
}

/* Any program that may connect to the database can send hints. */
SCENE(a_wrong_hint_loads_once)
{
	struct script_device *device = add_device();

	load(device);
	answer_loads();
	loader_changed(&loader, device->id, INT64_MAX);
	answer_loads(); /* ends */
	assert_true(loaded_count <= 3);
	assert_int_equal(loads_asked(), 0);
}

/* The database requested the devices again, so the installations are older than these. */
SCENE(what_was_read_in_the_wrong_order_is_not_used)
{
	struct script_device *device = add_device();
	struct panel *panel = load(device);

	answer_loads();
	loader_load(&loader, panel);
	assert_int_equal(loads_asked(), 1);
	begin_rows(0);
	answer(asked(STATEMENT_PANEL_INSTALLATIONS));
	add_installation(device, "one", "first");
	answer_nothing(asked(STATEMENT_PANEL_LOAD), DB_OK);
	assert_int_equal(failed_count, 1);
	assert_int_equal(panel->state, PANEL_READY);
	loader_load(&loader, panel);
	answer_loads();
	assert_true(str_equal(picture_at(panel, 0), STR("first")));
}

SCENE(a_failed_load_keeps_what_is_there)
{
	struct script_device *device = add_device();
	struct panel *panel;

	add_installation(device, "one", "first");
	panel = load(device);
	answer_loads();
	loader_changed(&loader, device->id, 3);
	assert_int_equal(loads_asked(), 1);
	fail_load();
	assert_int_equal(failed_count, 1);
	assert_int_equal(panel->generation, 2);
	assert_true(str_equal(picture_at(panel, 0), STR("first")));
	assert_int_equal(loads_asked(), 0);
	/* A failure of one of the two reads is enough. */
	loader_load(&loader, panel);
	run_turns();
	answer_nothing(asked(STATEMENT_PANEL_INSTALLATIONS), DB_FAILED);
	assert_int_equal(failed_count, 1);
	begin_rows(statements[STATEMENT_PANEL_LOAD].column_count);
	answer(asked(STATEMENT_PANEL_LOAD));
	assert_int_equal(failed_count, 2);
	assert_int_equal(gone_count, 0);
}

SCENE(a_device_that_is_gone_ends_its_panel)
{
	struct script_device *device = add_device();

	load(device);
	answer_loads();
	device->is_gone = true;
	loader_changed(&loader, device->id, 2);
	answer_loads();
	assert_int_equal(gone_count, 1);
	assert_null(panels_find(&panels, device->id));
}

SCENE(a_new_panel_that_could_not_be_loaded_ends)
{
	struct script_device *device = add_device();

	load(device);
	run_turns();
	fail_load();
	assert_int_equal(gone_count, 1);
	assert_int_equal(failed_count, 0);
}

SCENE(a_panel_that_ends_while_it_is_loading_is_awaited)
{
	struct panel *under_way = load(add_device());
	struct panel *waiting;

	run_turns();
	waiting = load(add_device());
	panel_destroy(under_way);
	panel_destroy(waiting);
	assert_int_equal(loads_asked(), 1);
	answer_loads();
	assert_int_equal(loaded_count, 0);
}

SCENE(another_key_or_a_disabled_device_locks_out)
{
	struct script_device *device = add_device();

	load(device);
	answer_loads();
	device->key = "another-key-of-the-panel";
	loader_changed(&loader, device->id, ++device->generation);
	answer_loads();
	assert_int_equal(locked_out_count, 1);
	device->is_disabled = true;
	loader_changed(&loader, device->id, ++device->generation);
	answer_loads();
	assert_int_equal(locked_out_count, 2);
	assert_int_equal(loaded_count, 1);
}

SCENE(a_load_from_on_loaded_waits_for_another_turn)
{
	load(add_device());
	loads_again = true;
	run_turns();
	answer_load();
	assert_int_equal(asked_count(STATEMENT_PANEL_LOAD), 0);
	answer_loads();
	assert_int_equal(loaded_count, 2);
}

SCENE(a_draining_worker_loads_only_what_is_waited_for)
{
	struct script_device *device = add_device();
	struct panel *queued;

	queued = load(device);
	answer_loads();
	loader_load(&loader, queued);
	loader_drain(&loader);
	assert_int_equal(loads_asked(), 0);
	assert_int_equal(failed_count, 1);
	loader_changed(&loader, device->id, 9);
	assert_int_equal(loads_asked(), 0);
	load(add_device());
	assert_int_equal(loads_asked(), 1);
	answer_loads();
}

/* Look-ups may wait for the load that would have followed. */
SCENE(a_draining_worker_says_that_more_than_a_push_is_not_loaded)
{
	struct script_device *device = add_device();

	load(device);
	answer_loads();
	push(device, "pushed");
	loader_pushed(&loader, device->id, 2);
	assert_int_equal(loads_asked(), 1);
	assert_int_equal(asked_count(STATEMENT_PANEL_PUSHES), 1);
	device->generation++;
	loader_drain(&loader);
	answer_load();
	assert_int_equal(loads_asked(), 0);
	assert_int_equal(failed_count, 1);
}

RUN_TESTS(NULL, NULL)
