#include "domain/tronbyt.h"
#include "base/zones.h"
#include "domain/device.h"
#include "tronbyt_reader.h"

#include <text/utf8.h>

enum {
	NIGHT_START = 22 * 60,
	NIGHT_END = 7 * 60,
	DIM_START = 20 * 60,
};

/* ---- a device's settings ---- */

/* Cuts a name to the maximum of characters. */
static struct str shorten(struct str name)
{
	struct str rest = name;

	for (unsigned i = 0; i < DEVICE_NAME_LENGTH_MAX && rest.length; i++)
		(void)utf8_next(&rest);
	return (struct str){name.data, name.length - rest.length};
}

static void read_name(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	struct str name = {0};

	tronbyt_text(reader, "name", &name);
	device->name = shorten(name);
	if (device->name.length == 0 || device_name_check(device->name))
		device->name = ARENA_JOIN(reader->faults->arena, STR("Panel "), device->former_id);
	reader->device = device->name;
	if (name.length && !str_equal(name, device->name))
		tronbyt_say(reader, "name", "names have 1 to %d characters here",
			    DEVICE_NAME_LENGTH_MAX);
}

static void read_zone(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	struct tronbyt_reader location = *reader;
	struct str zone = {0}, description = {0};

	location.object = tronbyt_member(reader, "location");
	location.pointer = ARENA_JOIN(reader->faults->arena, reader->pointer, STR("/location"));
	tronbyt_text(reader, "timezone", &zone);
	if (location.object && !json_is_object(location.object)) {
		tronbyt_fault(reader, "location", "must be an object");
	} else if (location.object) {
		if (zone.length == 0)
			tronbyt_text(&location, "timezone", &zone);
		tronbyt_text(&location, "description", &description);
		if (description.length)
			tronbyt_say(reader, "location",
				    "each app here has its own place, among its settings");
	}
	device->timezone = STR("UTC");
	if (zone.length && zones_find(zone))
		device->timezone = zone;
	else if (zone.length)
		tronbyt_say(reader, "timezone", "is not a known time zone: set to UTC");
}

static void read_locale(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	struct str locale = {0};
	char *text;

	tronbyt_text(reader, "locale", &locale);
	device->locale = STR("en");
	if (locale.length == 0)
		return;
	text = arena_alloc(reader->faults->arena, locale.length);
	for (size_t i = 0; i < locale.length; i++)
		text[i] = locale.data[i] == '_' ? '-' : locale.data[i];
	locale.data = text;
	if (!device_locale_check(locale))
		device->locale = locale;
	else
		tronbyt_say(reader, "locale", "is not a language: set to en");
}

static void read_night(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	tronbyt_bool(reader, "night_mode_enabled", &device->sleep_enabled);
	tronbyt_clock(reader, "night_start", &device->sleep_start_minute);
	tronbyt_clock(reader, "night_end", &device->sleep_end_minute);
	tronbyt_number(reader, "night_brightness", 0, 100, &device->night_brightness);
	tronbyt_bool(reader, "dim_mode_enabled", &device->dim_enabled);
	if (!tronbyt_clock(reader, "dim_time", &device->dim_start_minute) && device->dim_enabled) {
		tronbyt_say(reader, "dim_mode_enabled", "dim_time is missing: left off");
		device->dim_enabled = false;
	}
	tronbyt_number(reader, "dim_brightness", 0, 100, &device->dim_brightness);
}

static void read_key(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	bool is_needed = false;
	struct str key = {0};

	tronbyt_bool(reader, "require_api_key", &is_needed);
	tronbyt_text(reader, "api_key", &key);
	if (!is_needed)
		return;
	if (key.length == 0)
		tronbyt_fault(reader, "api_key", "is required if require_api_key is true");
	else if (key.length > TRONBYT_KEY_LENGTH_MAX)
		tronbyt_fault(reader, "api_key", "must have at most %d bytes",
			      TRONBYT_KEY_LENGTH_MAX);
	else
		device->key = key;
}

static void say_rest(struct tronbyt_reader *reader)
{
	static const char *const filters[] = {"color_filter", "night_color_filter",
					      "dim_color_filter"};

	for (size_t i = 0; i < array_length(filters); i++)
		tronbyt_say_text(reader, filters[i], "none inherit",
				 "colour filters do not exist here");
	tronbyt_say_text(reader, "notes", "", "notes of devices do not exist here");
	tronbyt_say_text(reader, "custom_brightness_scale", "",
			 "brightness is a percentage here, without steps");
	tronbyt_say_bool(reader, "interstitial_enabled",
			 "entries between other entries do not exist here");
	tronbyt_say_bool(reader, "swap_colors", "the panel's firmware keeps this setting");
}

/* ---- entries that the device names ---- */

/* Marks an entry; notes a name that no entry has. */
static void mark(struct tronbyt_reader *reader, struct tronbyt_device *device, const char *member,
		 size_t offset)
{
	struct str name = {0};

	tronbyt_text(reader, member, &name);
	for (unsigned i = 0; name.length && i < device->entry_count; i++) {
		struct tronbyt_entry *entry = &device->entries[i];

		if (!str_equal(entry->former_id, name))
			continue;
		*(bool *)((char *)entry + offset) = true;
		return;
	}
	if (name.length && !str_equal(name, STR("None")))
		tronbyt_say(reader, member, "names no imported entry");
}

static void say_intervals(struct tronbyt_reader *reader)
{
	tronbyt_say(reader, "uinterval", "each app sets its own render interval here");
}

/* ---- devices ---- */

static bool read_id(struct tronbyt_reader *reader, const struct tronbyt_export *export,
		    struct tronbyt_device *device)
{
	char *id = arena_alloc(reader->faults->arena, ALIAS_LENGTH);
	struct str text = {0};

	if (tronbyt_member(reader, "id") && !json_get_str(tronbyt_member(reader, "id"), &text))
		text = (struct str){0};
	if (!alias_parse(text, id)) {
		tronbyt_fault(reader, "id", "must be a string of 8 hexadecimal digits");
		return false;
	}
	device->former_id = (struct str){id, ALIAS_LENGTH};
	for (unsigned i = 0; i < export->device_count; i++) {
		if (str_equal(export->devices[i].former_id, device->former_id)) {
			tronbyt_fault(reader, "id", "appears twice");
			return false;
		}
	}
	return true;
}

static void read_device(struct tronbyt_reader *reader, struct tronbyt_export *export,
			unsigned *entries_left)
{
	struct tronbyt_device device = {.brightness = 60,
					.schedule_interval_s = SCHEDULE_INTERVAL_MIN_S,
					.sleep_start_minute = NIGHT_START,
					.sleep_end_minute = NIGHT_END,
					.night_brightness = 10,
					.dim_start_minute = DIM_START,
					.dim_brightness = 20};

	if (!json_is_object(reader->object)) {
		tronbyt_fault(reader, NULL, "must be an object");
		return;
	}
	if (!read_id(reader, export, &device))
		return;
	read_name(reader, &device);
	read_zone(reader, &device);
	read_locale(reader, &device);
	tronbyt_number(reader, "brightness", 0, 100, &device.brightness);
	tronbyt_number(reader, "default_interval", SCHEDULE_INTERVAL_MIN_S, SCHEDULE_INTERVAL_MAX_S,
		       &device.schedule_interval_s);
	read_night(reader, &device);
	read_key(reader, &device);
	say_rest(reader);
	tronbyt_read_entries(reader, &device, entries_left);
	mark(reader, &device, "pinned_app", offsetof(struct tronbyt_entry, is_pinned));
	mark(reader, &device, "night_mode_app", offsetof(struct tronbyt_entry, is_night));
	if (device.entry_count)
		say_intervals(reader);
	export->devices[export->device_count++] = device;
}

static void read_devices(struct tronbyt_reader *reader, const struct json_value *devices,
			 struct tronbyt_export *export)
{
	struct arena *arena = reader->faults->arena;
	struct json_walk walk = json_walk(devices);
	unsigned entries_left = TRONBYT_ENTRIES_MAX, number = 0;
	bool is_object = json_is_object(devices);
	struct str name;

	export->devices = arena_alloc(arena, walk.left * sizeof(export->devices[0]));
	while (is_object ? json_next_member(&walk, &name, &reader->object)
			 : json_next_item(&walk, &reader->object)) {
		reader->pointer = arena_printf(arena, "/devices/%u", number++);
		if (is_object)
			reader->pointer =
			    ARENA_JOIN(arena, STR("/devices"), faults_pointer(arena, name));
		reader->device = reader->entry = (struct str){0};
		read_device(reader, export, &entries_left);
	}
}

static void read_account(struct tronbyt_reader *reader, const struct json_value *devices,
			 struct tronbyt_export *export)
{
	struct json_walk walk = json_walk(devices);
	unsigned count;

	if (!json_is_object(devices) && !json_get_array(devices, &count))
		tronbyt_fault(reader, "devices", "must be an array");
	else if (walk.left == 0)
		tronbyt_fault(reader, "devices", "must have a device");
	else if (walk.left > TRONBYT_DEVICES_MAX)
		tronbyt_fault(reader, "devices", "must have at most %d devices, has %zu",
			      TRONBYT_DEVICES_MAX, walk.left);
	else
		read_devices(reader, devices, export);
}

void tronbyt_read(const struct json_value *root, struct faults *faults,
		  struct tronbyt_export *ret_export)
{
	struct tronbyt_reader reader = {
	    .faults = faults, .notes = &ret_export->notes, .object = root, .pointer = STR("")};
	unsigned entries_left = TRONBYT_ENTRIES_MAX;

	*ret_export = (struct tronbyt_export){.notes = {.arena = faults->arena}};
	if (!json_is_object(root)) {
		tronbyt_fault(&reader, NULL, "must be a JSON object");
	} else if (json_member(root, "devices")) {
		read_account(&reader, json_member(root, "devices"), ret_export);
	} else if (!json_member(root, "id")) {
		tronbyt_fault(&reader, NULL,
			      "must be the export of a device, with an id, or of an account, with "
			      "devices");
	} else {
		ret_export->devices = arena_alloc(faults->arena, sizeof(ret_export->devices[0]));
		read_device(&reader, ret_export, &entries_left);
	}
}

static void check(void *body, uint64_t seen, struct faults *faults)
{
	struct tronbyt_body *whole = body;

	(void)seen;
	tronbyt_read(whole->root, faults, &whole->export);
}

static const struct record_field body_fields[] = {
    RECORD_ANY(struct tronbyt_body, root),
};
const struct record tronbyt_body_record =
    RECORD(struct tronbyt_body, body_fields, .takes_whole = true, .check = check);

void tronbyt_settle_night(struct tronbyt_device *device, bool has_entry,
			  struct tronbyt_notes *notes)
{
	if (!device->sleep_enabled || has_entry || device->night_brightness == 0)
		return;
	device->sleep_enabled = false;
	if (device->dim_enabled) {
		tronbyt_note(notes, device->name, (struct str){0}, STR("night_brightness"),
			     "a device has one dimming time here: %lld %% from its dim_time on",
			     (long long)device->dim_brightness);
		return;
	}
	device->dim_enabled = true;
	device->dim_start_minute = device->sleep_start_minute;
	device->dim_brightness = device->night_brightness;
}
