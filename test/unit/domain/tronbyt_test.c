#include "../cmocka_test.h"
#include "base/memory.h"
#include "domain/panel_report.h"
#include "domain/tronbyt.h"

#include <stdio.h>

/* Exports of a tronbyt server: values read, notes, and errors. */

static struct arena arena;
static struct json_document document;
static struct faults faults;
static struct tronbyt_export export;

static int tear_down(void **state)
{
	(void)state;
	json_document_finish(&document);
	arena_finish(&arena);
	return 0;
}

static void read_text(const char *text)
{
	struct str reason;

	json_document_finish(&document);
	assert_true(json_parse(str_from(text), &arena, &document, &reason));
	faults_init(&faults, &arena);
	tronbyt_read(document.root, &faults, &export);
}

/* Reads a device with these members. */
static struct tronbyt_device *read_device(const char *members)
{
	read_text(
	    arena_printf(&arena, "{\"id\":\"0A1b2c3D\"%s%s}", members[0] ? "," : "", members).data);
	assert_int_equal(faults.count, 0);
	assert_int_equal(export.device_count, 1);
	return &export.devices[0];
}

/* Reads an entry with these members. */
static struct tronbyt_entry *read_entry(const char *members)
{
	struct tronbyt_device *device =
	    read_device(arena_printf(&arena, "\"apps\":[{\"iname\":\"1\",\"name\":\"clock\"%s%s}]",
				     members[0] ? "," : "", members)
			    .data);

	assert_int_equal(device->entry_count, 1);
	return &device->entries[0];
}

static bool is_noted(const char *what)
{
	for (unsigned i = 0; i < export.device_count; i++)
		for (unsigned k = 0; k < export.devices[i].notes.count; k++)
			if (str_equal(export.devices[i].notes.list[k].what, str_from(what)))
				return true;
	return false;
}

static void assert_text(struct str text, const char *wanted)
{
	assert_true(str_equal(text, str_from(wanted)));
}

TEST(a_device_that_says_nothing_has_defaults)
{
	const struct tronbyt_device *device = read_device("");

	assert_text(device->former_id, "0a1b2c3d");
	assert_text(device->name, "Panel 0a1b2c3d");
	assert_text(device->timezone, "UTC");
	assert_text(device->locale, "en");
	assert_int_equal(device->brightness, 60);
	assert_int_equal(device->schedule_interval_s, 15);
	assert_false(device->sleep_enabled || device->dim_enabled);
	assert_int_equal(device->notes.count, 1);
	assert_true(is_noted("name"));
}

TEST(numbers_are_held_to_their_limits)
{
	static const struct {
		const char *members;
		int64_t brightness, interval;
		bool is_noted;
	} cases[] = {
	    {"\"brightness\":0,\"default_interval\":15", 0, 15, false},
	    {"\"brightness\":100,\"default_interval\":86400", 100, 86400, false},
	    {"\"brightness\":101,\"default_interval\":86401", 100, 86400, true},
	    {"\"brightness\":-1,\"default_interval\":14", 0, 15, true},
	};

	for (size_t i = 0; i < array_length(cases); i++) {
		const struct tronbyt_device *device = read_device(cases[i].members);

		assert_int_equal(device->brightness, cases[i].brightness);
		assert_int_equal(device->schedule_interval_s, cases[i].interval);
		assert_int_equal(is_noted("brightness"), cases[i].is_noted);
		assert_int_equal(is_noted("interval"), cases[i].is_noted);
	}
}

TEST(times_have_two_forms)
{
	const struct tronbyt_entry *entry = read_entry("\"start_time\":\"7:05\"");

	assert_int_equal(entry->start_minute, 7 * 60 + 5);
	assert_int_equal(entry->end_minute, 23 * 60 + 59);
	entry = read_entry("\"start_time\":\"\",\"end_time\":null");
	assert_int_equal(entry->start_minute, -1);
	assert_int_equal(entry->end_minute, -1);
	entry = read_entry("\"start_time\":\"23:59:59\",\"end_time\":\"00:00\"");
	assert_int_equal(entry->start_minute, 23 * 60 + 59);
	assert_int_equal(entry->end_minute, 0);
	entry = read_entry("\"start_time\":\"24:00\",\"end_time\":\"x\"");
	assert_int_equal(entry->start_minute, -1);
	assert_true(is_noted("start of its hours") && is_noted("end of its hours"));
}

TEST(turns_have_limits)
{
	assert_int_equal(read_entry("\"display_time\":0")->display_s, 0);
	assert_int_equal(read_entry("\"display_time\":5")->display_s, 5);
	assert_false(is_noted("display time"));
	assert_int_equal(read_entry("\"display_time\":4")->display_s, 5);
	assert_true(is_noted("display time"));
	assert_int_equal(read_entry("\"display_time\":86401")->display_s, 86400);
	assert_int_equal(read_entry("\"days\":[]")->weekdays, 127);
	assert_int_equal(read_entry("\"days\":[\"monday\",\"sunday\"]")->weekdays, 65);
}

TEST(entries_stand_in_their_order)
{
	const struct tronbyt_device *device =
	    read_device("\"pinned_app\":\"c\",\"night_mode_app\":\"gone\",\"apps\":{"
			"\"x\":{\"iname\":\"a\",\"name\":\"a\",\"order\":2},"
			"\"y\":{\"iname\":\"b\",\"name\":\"b\",\"order\":1},"
			"\"z\":{\"iname\":\"c\",\"name\":\"c\",\"order\":2}}");

	assert_int_equal(device->entry_count, 3);
	assert_text(device->entries[0].former_id, "b");
	assert_text(device->entries[1].former_id, "a");
	assert_text(device->entries[2].former_id, "c");
	assert_true(device->entries[2].is_pinned);
	assert_true(is_noted("entry for the night"));
}

TEST(a_night_without_an_entry_dims)
{
	struct tronbyt_device *device =
	    read_device("\"night_mode_enabled\":true,\"night_start\":\"23:00\","
			"\"night_brightness\":7");

	tronbyt_settle_night(&export, device, true);
	assert_true(device->sleep_enabled);
	tronbyt_settle_night(&export, device, false);
	assert_false(device->sleep_enabled);
	assert_true(device->dim_enabled);
	assert_int_equal(device->dim_start_minute, 23 * 60);
	assert_int_equal(device->dim_brightness, 7);
}

/* Reads an account whose devices have so many entries, each of which has a note. Each device has a
 * name, and no other note. */
static void read_entries_with_notes(const unsigned *counts, unsigned device_count)
{
	struct buffer text = {0};

	buffer_append_str(&text, STR("{\"devices\":["));
	for (unsigned i = 0; i < device_count; i++) {
		buffer_printf(&text, "%s{\"id\":\"0a1b2c%02u\",\"name\":\"d%u\",\"apps\":[",
			      i ? "," : "", i, i);
		for (unsigned k = 0; k < counts[i]; k++)
			buffer_append_str(&text, k ? STR(",1") : STR("1"));
		buffer_append_str(&text, STR("]}"));
	}
	buffer_append(&text, "]}", sizeof("]}")); /* with its end */
	read_text(arena_copy(&arena, buffer_view(&text)).data);
	buffer_finish(&text);
	assert_int_equal(faults.count, 0);
}

TEST(devices_share_the_notes)
{
	static const struct {
		unsigned noted[3], listed[3];
	} cases[] = {
	    {{5000, 0, 0}, {5000, 0, 0}},
	    {{5001, 0, 0}, {5000, 0, 0}},
	    {{4998, 1, 1}, {4998, 1, 1}},
	    {{6000, 3, 1}, {4996, 3, 1}},
	    {{3, 6000, 1}, {3, 4996, 1}},
	    {{4000, 10, 4000}, {2495, 10, 2495}},
	    {{2000, 2000, 2000}, {1667, 1667, 1666}},
	};

	for (size_t i = 0; i < array_length(cases); i++) {
		read_entries_with_notes(cases[i].noted, 3);
		for (unsigned k = 0; k < 3; k++) {
			const struct tronbyt_notes *notes = &export.devices[k].notes;

			assert_int_equal(notes->count, cases[i].listed[k]);
			assert_int_equal(notes->count + notes->dropped, cases[i].noted[k]);
			for (unsigned n = 0; n < notes->count; n++)
				assert_true(str_equal(notes->list[n].device,
						      arena_printf(&arena, "d%u", k)));
		}
	}
}

TEST(versions_of_firmware)
{
	static const struct {
		const char *version;
		enum panel_orders orders;
	} cases[] = {
	    {"", PANEL_ORDERS_UNKNOWN},
	    {"main", PANEL_ORDERS_UNKNOWN},
	    {"1.4.7", PANEL_ORDERS_NONE},
	    {"v1.4.7", PANEL_ORDERS_NONE},
	    {"1.4", PANEL_ORDERS_NONE},
	    {"1.4.8", PANEL_ORDERS_TAKEN},
	    {"1.4.10", PANEL_ORDERS_TAKEN},
	    {"2", PANEL_ORDERS_TAKEN},
	    {"999999999999.1", PANEL_ORDERS_TAKEN},
	    {"0.99.99", PANEL_ORDERS_NONE},
	};

	for (size_t i = 0; i < array_length(cases); i++)
		assert_int_equal(panel_orders_of(str_from(cases[i].version)), cases[i].orders);
}

RUN_TESTS(NULL, tear_down)
