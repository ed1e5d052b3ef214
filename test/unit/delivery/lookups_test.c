/* Look-ups of devices by ID, serial number and MAC address, and the check of the key. */
#include "panels.h"
#include "served.h"

#include <stdio.h>

static const char key[] = "key-of-panel-1234567890";

static void answer_alias(const struct script_device *device)
{
	begin_rows(1);
	add_bytes(device->id.bytes, ID_BYTES);
	answer(asked(STATEMENT_DEVICE_BY_LINK));
	run_turns();
}

static void answer_no_alias(void)
{
	begin_rows(1);
	answer(asked(STATEMENT_DEVICE_BY_LINK));
}

#define SCENE(function) TEST_IN(function, serve_begin, serve_end)

SCENE(by_id_it_is_loaded_and_then_known)
{
	struct script_device *device = add_device();
	struct asked_lookup first, second, third;

	look_up_device(&first, device);
	look_up_device(&second, device);
	assert_false(first.is_done || second.is_done);
	assert_int_equal(loads_asked(), 1);
	answer_load();
	assert_non_null(first.panel);
	assert_ptr_equal(second.panel, first.panel);
	look_up_device(&third, device);
	assert_true(third.is_done);
	assert_ptr_equal(third.panel, first.panel);
	assert_int_equal(third.times, 0);
	assert_int_equal(loads_asked(), 0);
}

SCENE(a_device_that_is_none)
{
	struct asked_lookup lookup;

	look_up(&lookup, "0190163d-8694-739b-aea5-966c26f8ad91", key);
	answer_loads();
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
	look_up(&lookup, "no/reference", key);
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
	assert_int_equal(loads_asked(), 0);
}

SCENE(the_key_decides)
{
	struct script_device *device = add_device();
	struct asked_lookup lookup;
	char text[ID_TEXT_LENGTH + 1];

	id_format(device->id, text);
	look_up(&lookup, text, "wrong-key-of-panel-12345");
	answer_loads();
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
	look_up(&lookup, text, "wrong-key-of-panel-12345");
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
	look_up(&lookup, text, key);
	assert_non_null(lookup.panel);
}

static bool is_known(const char *reference, const char *its_key)
{
	struct device_reference parsed = device_reference_parse(str_from(reference));

	return delivery_knows(served, &parsed, str_from(its_key));
}

SCENE(what_is_in_memory_is_known)
{
	struct script_device *device = add_device();
	struct asked_lookup lookup;
	char text[ID_TEXT_LENGTH + 1];

	id_format(device->id, text);
	assert_false(is_known(text, key));
	look_up(&lookup, "kitchen", key);
	assert_false(is_known("kitchen", key));
	answer_alias(device);
	assert_false(is_known(text, key));
	answer_loads();
	assert_non_null(lookup.panel);
	assert_true(is_known(text, key));
	assert_true(is_known("kitchen", key));
	assert_false(is_known("aa:bb:cc:dd:ee:ff", key));
	assert_false(is_known("no/reference", key));
	assert_false(is_known(text, "wrong-key-of-panel-12345"));
	assert_int_equal(loads_asked(), 0);
}

SCENE(a_disabled_device_is_not_found)
{
	struct script_device *device = add_device();
	struct asked_lookup lookup;

	device->is_disabled = true;
	look_up_device(&lookup, device);
	answer_loads();
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
}

SCENE(by_serial_and_by_mac)
{
	struct script_device *device = add_device();
	struct asked_lookup serial, mac;

	look_up(&serial, "kitchen", key);
	look_up(&mac, "AABBCCDDEEFF", key);
	answer_alias(device);
	assert_int_equal(loads_asked(), 1);
	answer_alias(device);
	answer_loads();
	assert_non_null(serial.panel);
	assert_ptr_equal(mac.panel, serial.panel);
	/* The alias is known now, and the key matches: no query is sent. */
	look_up(&serial, "kitchen", key);
	assert_true(serial.is_done);
	look_up(&mac, "aa-bb-cc-dd-ee-ff", key);
	assert_true(mac.is_done);
	/* The serial number with another key may now belong to another device. */
	look_up(&serial, "kitchen", "other-key-of-panel-12345");
	assert_false(serial.is_done);
	answer_no_alias();
	assert_true(serial.is_done);
	assert_null(serial.panel);
}

SCENE(a_serial_that_nobody_has)
{
	struct asked_lookup lookup;

	look_up(&lookup, "nobody", key);
	answer_no_alias();
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
}

/* Only the newest aliases are known, however many came before. */
SCENE(the_newest_alias_is_known)
{
	struct script_device *device = add_device();
	struct asked_lookup lookup;
	char serial[32];

	for (unsigned i = 0; i < 25 * 1000; i++) {
		snprintf(serial, sizeof(serial), "SN-%u", i);
		look_up(&lookup, serial, key);
		answer_alias(device);
		answer_loads();
	}
	look_up(&lookup, serial, key);
	assert_true(lookup.is_done);
	assert_non_null(lookup.panel);
	/* A device has one serial number, so the others now find nothing. */
	look_up(&lookup, "SN-1", key);
	answer_no_alias();
	assert_null(lookup.panel);
}

SCENE(devices_of_several_accounts_have_the_same_alias)
{
	struct script_device *one = add_device();
	struct script_device *other = add_device();
	struct asked_lookup lookup;

	other->key = "another-key-of-the-panel";
	look_up(&lookup, "kitchen", key);
	answer_alias(one);
	answer_loads();
	look_up(&lookup, "kitchen", other->key);
	answer_alias(other);
	answer_loads();
	assert_memory_equal(&lookup.panel->id, &other->id, sizeof(other->id));
	/* Each is known by its key, even while the database is unavailable. */
	look_up(&lookup, "kitchen", key);
	assert_true(lookup.is_done);
	assert_memory_equal(&lookup.panel->id, &one->id, sizeof(one->id));
	look_up(&lookup, "kitchen", other->key);
	assert_true(lookup.is_done);
	/* Forgets the key together with its panel. */
	panel_destroy(lookup.panel);
	look_up(&lookup, "kitchen", other->key);
	assert_false(lookup.is_done);
	answer_no_alias();
}

SCENE(while_the_database_is_away_an_alias_that_is_known_leads_on)
{
	struct script_device *device = add_device();
	struct asked_lookup lookup;

	look_up(&lookup, "kitchen", key);
	answer_alias(device);
	answer_loads();
	device->key = "another-key-of-the-panel";
	hint("device:00000000-0000-0000-0000-000000000000:1"); /* no such device */
	set_database_up(false);
	look_up(&lookup, "kitchen", "another-key-of-the-panel");
	answer_nothing(asked(STATEMENT_DEVICE_BY_LINK), DB_UNAVAILABLE);
	assert_true(lookup.is_done);
	assert_null(lookup.panel); /* the old key */
	look_up(&lookup, "kitchen", key);
	assert_non_null(lookup.panel);
	look_up(&lookup, "unknown", key);
	answer_nothing(asked(STATEMENT_DEVICE_BY_LINK), DB_UNAVAILABLE);
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
	assert_true(str_equal(delivery_refusal_picture(&lookup.lookup), picture_no_database));
}

SCENE(while_the_database_is_away_a_new_device_is_not_found)
{
	struct asked_lookup lookup;

	look_up_device(&lookup, add_device());
	run_turns();
	fail_load();
	assert_true(lookup.is_done);
	assert_null(lookup.panel);
	assert_true(str_equal(delivery_refusal_picture(&lookup.lookup), picture_no_database));
	/* The database is back. */
	look_up(&lookup, "0190163d-8694-739b-aea5-966c26f8ad91", key);
	answer_loads();
	assert_null(lookup.panel);
	assert_true(str_equal(delivery_refusal_picture(&lookup.lookup), picture_unknown_device));
}

SCENE(a_caller_sees_its_push_in_the_next_poll)
{
	struct script_device *device = add_device();
	struct panel *panel = panel_of_device(device);
	struct asked_lookup lookup;

	device->generation++;
	delivery_device_changed(served, device->id, device->generation);
	look_up_device(&lookup, device);
	assert_false(lookup.is_done);
	answer_loads();
	assert_ptr_equal(lookup.panel, panel);
	assert_int_equal(panel->generation, 2);
}

SCENE(what_another_worker_answered_is_in_the_next_poll)
{
	struct script_device *device = add_device();
	struct panel *panel = panel_of_device(device);
	struct asked_lookup first, second;

	device->generation = 2;
	change_note(change_counter_of(script_changes, device->id));
	look_up_device(&first, device);
	assert_false(first.is_done);
	assert_int_equal(loads_asked(), 1);
	/* The load under way may not include this change. */
	change_note(change_counter_of(script_changes, device->id));
	look_up_device(&second, device);
	answer_load();
	assert_ptr_equal(first.panel, panel);
	assert_false(second.is_done);
	device->generation = 3;
	answer_loads();
	assert_true(second.is_done);
	assert_ptr_equal(second.panel, panel);
	assert_int_equal(panel->generation, 3);
}

SCENE(a_failed_load_answers_look_ups_from_memory)
{
	struct script_device *device = add_device();
	struct panel *panel = panel_of_device(device);
	struct asked_lookup lookup;

	delivery_device_changed(served, device->id, 2);
	look_up_device(&lookup, device);
	run_turns();
	fail_load();
	assert_ptr_equal(lookup.panel, panel);
}

static bool is_called_unknown(const struct asked_lookup *lookup)
{
	return str_equal(delivery_refusal_picture(&lookup->lookup), picture_unknown_device);
}

SCENE(a_draining_worker_finds_nobody)
{
	struct script_device *device = add_device();
	struct asked_lookup waiting, alias, late;

	look_up_device(&waiting, device);
	look_up(&alias, "kitchen", key);
	delivery_drain(served);
	look_up_device(&late, device);
	assert_true(late.is_done);
	assert_null(late.panel);
	assert_false(is_called_unknown(&late));
	answer_alias(device);
	assert_true(alias.is_done);
	assert_null(alias.panel);
	assert_false(is_called_unknown(&alias));
	answer_loads();
	assert_true(waiting.is_done);
}

SCENE(a_draining_worker_answers_look_ups_from_memory)
{
	struct script_device *device = add_device();
	struct panel *panel = panel_of_device(device);
	struct asked_lookup lookup;

	delivery_device_changed(served, device->id, 2);
	look_up_device(&lookup, device);
	assert_false(lookup.is_done);
	delivery_drain(served);
	assert_int_equal(loads_asked(), 0);
	assert_true(lookup.is_done);
	assert_ptr_equal(lookup.panel, panel);
}

/* The load under way began before the change, and a draining worker begins no other. */
SCENE(a_draining_worker_answers_look_ups_that_wait_for_another_load)
{
	struct script_device *device = add_device();
	struct panel *panel = panel_of_device(device);
	struct asked_lookup lookup;

	delivery_device_changed(served, device->id, 2);
	assert_int_equal(loads_asked(), 1);
	delivery_device_changed(served, device->id, 3);
	look_up_device(&lookup, device);
	delivery_drain(served);
	device->generation = 2;
	answer_loads();
	assert_true(lookup.is_done);
	assert_ptr_equal(lookup.panel, panel);
}

RUN_TESTS(NULL, NULL)
