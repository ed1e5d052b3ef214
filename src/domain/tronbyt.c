#include "domain/tronbyt.h"
#include "base/zones.h"
#include "domain/board.h"
#include "domain/brightness.h"
#include "domain/device.h"
#include "tronbyt_reader.h"

enum {
	NIGHT_START = 22 * 60,
	NIGHT_END = 6 * 60,
	DIM_START = 20 * 60,
};

/* ---- a device's settings ---- */

/* Cuts a name to the maximum of characters. */
static struct str shorten(struct str name)
{
	return tronbyt_cut(name, DEVICE_NAME_LENGTH_MAX);
}

static void read_name(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	const struct json_value *value = tronbyt_member(reader, "name");
	struct str name = {0};
	bool is_text =
	    !value || (json_get_str(value, &name) && str_find(name, '\0') == name.length);

	if (is_text)
		device->name = shorten(name);
	if (device->name.length == 0 || device_name_check(device->name))
		device->name = device->former_id.length && !device->is_unusable
				   ? ARENA_JOIN(reader->faults->arena, STR("Panel "),
						shorten(device->former_id))
				   : STR("Device without a name");
	if (device->name.length > DEVICE_NAME_LENGTH_MAX)
		device->name = shorten(device->name);
	if (!value && json_is_object(reader->object) && !device->is_unusable)
		tronbyt_say(reader, "name", "is missing, and stands in each export of a device");
	else if (!is_text)
		tronbyt_say(reader, "name", "is not a text in the file");
	else if (name.length && !str_equal(name, device->name))
		tronbyt_say(reader, "name",
			    "names have 1 to %d characters here, not only spaces, and no line "
			    "breaks or other control characters",
			    DEVICE_NAME_LENGTH_MAX);
}

static bool is_none(struct str text)
{
	return text.length == 0 || str_equal_ignore_case(text, STR("none"));
}

static void read_zone(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	struct tronbyt_reader location = *reader;
	struct str zone = {0};

	location.object = tronbyt_member(reader, "location");
	tronbyt_text(reader, "timezone", &zone);
	if (location.object && is_none(zone))
		tronbyt_text(&location, "timezone", &zone);
	device->timezone = STR("UTC");
	if (is_none(zone))
		return;
	if (zones_find(zone))
		device->timezone = zone;
	else
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

/* Older files have no board. */
static void read_board(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	tronbyt_text(reader, "type", &device->board);
	if (device->board.length && !board_check(device->board)) {
		device->size = panel_size_name(board_size(device->board));
		return;
	}
	if (device->board.length)
		tronbyt_say(reader, "type", "is not a known board: not set");
	device->board = (struct str){0};
	device->size = panel_size_name(PANEL_SIZE_64X32);
}

static struct str without_spaces(struct arena *arena, struct str text)
{
	char *copy = arena_alloc(arena, text.length);
	size_t length = 0;

	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] != ' ')
			copy[length++] = text.data[i];
	return (struct str){copy, length};
}

/* Reads the percentages of its five steps; those of 0, the first of the file, are dark here. */
static void read_curve(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	struct str points = without_spaces(reader->faults->arena, reader->scale), dark;

	if (points.length == 0)
		return;
	if (!str_next(&points, ',', &dark) || !str_equal(dark, STR("0")) || points.length == 0 ||
	    brightness_points_check(points)) {
		tronbyt_say(reader, "custom_brightness_scale",
			    "is not 0 and five percentages that rise: those of the board are used");
		return;
	}
	device->brightness_curve = points;
}

/* Makes percentages that panels were sent those that are even to the eye. */
static void even_out(struct tronbyt_device *device)
{
	struct brightness_curve curve =
	    brightness_curve_of(device->board, device->brightness_curve);
	int64_t *const all[] = {&device->brightness, &device->night_brightness,
				&device->dim_brightness};

	for (size_t i = 0; i < array_length(all); i++)
		*all[i] = brightness_from_sent(&curve, (int)*all[i]);
}

/* Files of before February 2026 have no member that says whether the device is dimmed: those with a
 * time were. */
static void read_dimming(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	bool has_time = tronbyt_clock(reader, "dim_time", &device->dim_start_minute);

	device->dim_enabled = has_time;
	tronbyt_bool(reader, "dim_mode_enabled", &device->dim_enabled);
	if (!has_time && device->dim_enabled) {
		tronbyt_say(reader, "dim_mode_enabled", "has no time to start: left off");
		device->dim_enabled = false;
	}
	if (tronbyt_member(reader, "dim_brightness"))
		tronbyt_brightness(reader, "dim_brightness", reader->scale,
				   &device->dim_brightness);
	else if (device->dim_enabled) /* it changed nothing there */
		device->dim_brightness = device->brightness;
}

static void read_night(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	tronbyt_bool(reader, "night_mode_enabled", &device->sleep_enabled);
	tronbyt_clock(reader, "night_start", &device->sleep_start_minute);
	tronbyt_clock(reader, "night_end", &device->sleep_end_minute);
	tronbyt_brightness(reader, "night_brightness", reader->scale, &device->night_brightness);
	read_dimming(reader, device);
}

static void read_key(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	tronbyt_bool(reader, "require_api_key", &device->needs_key);
	tronbyt_text(reader, "api_key", &device->key);
	if (device->key.length > TRONBYT_KEY_LENGTH_MAX) {
		tronbyt_say(reader, "api_key", "has %zu bytes, maximum %d: left out",
			    device->key.length, TRONBYT_KEY_LENGTH_MAX);
		device->key = (struct str){0};
	}
	if (device->needs_key && !device->key.length && device->alias.data) {
		tronbyt_say(reader, "address",
			    "needs the device's key, which the file does not have");
		device->alias = (struct str){0};
	}
}

static void read_filters(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	device->color_filter = STR("none");
	device->night_color_filter = device->dim_color_filter = STR("inherit");
	tronbyt_filter(reader, "color_filter", &device->color_filter);
	tronbyt_filter(reader, "night_color_filter", &device->night_color_filter);
	tronbyt_filter(reader, "dim_color_filter", &device->dim_color_filter);
}

static void say_rest(struct tronbyt_reader *reader, const struct tronbyt_device *device)
{
	if (reader->has_levels && tronbyt_member(reader, "brightness"))
		tronbyt_say(reader, "brightness", "was a step of 0 to 5: set to %lld %%",
			    (long long)device->brightness);
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

	/* Without the member, an ID would be the name that the device has in the file. */
	if (tronbyt_member(reader, member)) {
		name = tronbyt_id(reader, member);
		if (!name.data)
			tronbyt_say(reader, member, "is not an ID in the file: left out");
	}
	for (unsigned i = 0; name.data && name.length > 0 && i < device->entry_count; i++) {
		struct tronbyt_entry *entry = &device->entries[i];

		if (!str_equal(entry->former_id, name))
			continue;
		*(bool *)((char *)entry + offset) = true;
		return;
	}
	if (!is_none(name))
		tronbyt_say(reader, member, "names no imported entry");
}

static void say_intervals(struct tronbyt_reader *reader)
{
	tronbyt_say(reader, "uinterval", "each app sets its own render interval here");
}

/* ---- devices ---- */

/* Whether the ID is the one that the other server makes of the device's name, on home networks. */
static bool is_of_name(struct str id, struct str name)
{
	size_t at = 0;
	bool is_between = false;

	for (size_t i = 0; i < name.length; i++) {
		char c = name.data[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))) {
			is_between = at > 0;
			continue;
		}
		if (is_between && (at == id.length || id.data[at++] != '-'))
			return false;
		is_between = false;
		if (at == id.length || id.data[at++] != c)
			return false;
	}
	return at > 0 && at == id.length;
}

static bool is_twice(const struct tronbyt_export *export, struct str id)
{
	for (unsigned i = 0; i < export->device_count; i++)
		if (!export->devices[i].is_unusable && str_equal(export->devices[i].former_id, id))
			return true;
	return false;
}

/* Notes why the device cannot be imported. */
static void read_id(struct tronbyt_reader *reader, const struct tronbyt_export *export,
		    struct tronbyt_device *device)
{
	struct arena *arena = reader->faults->arena;
	struct str text = tronbyt_id(reader, "id");

	device->former_id = alias_parse(text, arena_alloc(arena, ALIAS_LENGTH_MAX));
	device->is_unusable = !device->former_id.data || is_twice(export, device->former_id);
	if (!device->former_id.data)
		device->former_id = text.length > ALIAS_LENGTH_MAX ? STR("") : text;
	if (device->former_id.data == NULL)
		device->former_id = STR("");
}

static void read_address(struct tronbyt_reader *reader, struct tronbyt_device *device)
{
	struct str name = {0};

	if (json_get_str(json_member(reader->object, "name"), &name))
		device->is_guessable = is_of_name(device->former_id, name);
	device->is_guessable |= alias_is_guessable(device->former_id);
	device->alias = device->former_id;
	if (!alias_is_reserved(device->alias))
		return;
	tronbyt_say(reader, "address", "/%.*s/ is a page of this server", STR_ARG(device->alias));
	device->alias = (struct str){0};
}

/* Reads the rest of a device that can be imported. */
static void read_members(struct tronbyt_reader *reader, struct tronbyt_device *device,
			 unsigned *entries_left)
{
	device->place = tronbyt_take_place(reader);
	read_zone(reader, device);
	read_locale(reader, device);
	read_board(reader, device);
	device->note = tronbyt_take_note(reader);
	reader->scale = STR("");
	tronbyt_text(reader, "custom_brightness_scale", &reader->scale);
	tronbyt_brightness(reader, "brightness", reader->scale, &device->brightness);
	tronbyt_number(reader, "default_interval", SCHEDULE_INTERVAL_MIN_S, SCHEDULE_INTERVAL_MAX_S,
		       &device->schedule_interval_s);
	read_night(reader, device);
	read_curve(reader, device);
	even_out(device);
	read_filters(reader, device);
	read_address(reader, device);
	read_key(reader, device);
	say_rest(reader, device);
	tronbyt_read_entries(reader, device, entries_left);
	mark(reader, device, "pinned_app", offsetof(struct tronbyt_entry, is_pinned));
	mark(reader, device, "night_mode_app", offsetof(struct tronbyt_entry, is_night));
	if (device->entry_count)
		say_intervals(reader);
}

static void read_device(struct tronbyt_reader *reader, struct tronbyt_export *export,
			unsigned *entries_left)
{
	struct tronbyt_device *device = &export->devices[export->device_count];

	*device = (struct tronbyt_device){.brightness = 60,
					  .schedule_interval_s = SCHEDULE_INTERVAL_MIN_S,
					  .sleep_start_minute = NIGHT_START,
					  .sleep_end_minute = NIGHT_END,
					  .night_brightness = 10,
					  .dim_start_minute = DIM_START,
					  .dim_brightness = 20};
	reader->device = device;
	reader->entry = (struct str){0};
	device->entries_in_file = (unsigned)json_walk(tronbyt_member(reader, "apps")).left;
	read_id(reader, export, device);
	read_name(reader, device);
	if (!json_is_object(reader->object)) {
		device->is_unusable = true; /* also if it has an ID in an object of devices */
		tronbyt_say(reader, "device", "is not an object in the file");
	} else if (!device->is_unusable)
		read_members(reader, device, entries_left);
	else if (is_twice(export, device->former_id))
		tronbyt_say(reader, "device", "another device of the file has the same ID");
	else
		tronbyt_say(reader, "device",
			    "its ID is missing, or is not 1 to %d letters, digits and \"-\"",
			    ALIAS_LENGTH_MAX);
	export->device_count++;
}

/* ---- the file ---- */

static bool has_percentage(const struct json_value *device)
{
	return tronbyt_is_percentage(json_member(device, "brightness")) ||
	       tronbyt_is_percentage(json_member(device, "night_brightness")) ||
	       tronbyt_is_percentage(json_member(device, "dim_brightness"));
}

/* Whether the file's numbers are levels of brightness: one of version 1 without a larger number. */
static bool has_levels(const struct json_value *root, const struct json_value *devices)
{
	bool is_object = json_is_object(devices), is_first_version = is_object;
	struct json_walk walk = json_walk(devices);
	const struct json_value *device;
	struct str name;

	if (!devices)
		return json_is_object(json_member(root, "apps")) && !has_percentage(root);
	while (is_object ? json_next_member(&walk, &name, &device)
			 : json_next_item(&walk, &device)) {
		if (has_percentage(device))
			return false;
		is_first_version |= json_is_object(json_member(device, "apps"));
	}
	return is_first_version;
}

static void read_devices(struct tronbyt_reader *reader, const struct json_value *devices,
			 struct tronbyt_export *export)
{
	struct arena *arena = reader->faults->arena;
	struct json_walk walk = json_walk(devices);
	unsigned entries_left = TRONBYT_ENTRIES_MAX;
	bool is_object = json_is_object(devices);

	export->devices = arena_alloc(arena, walk.left * sizeof(export->devices[0]));
	while (is_object ? json_next_member(&walk, &reader->key, &reader->object)
			 : json_next_item(&walk, &reader->object))
		read_device(reader, export, &entries_left);
}

static void read_account(struct tronbyt_reader *reader, const struct json_value *devices,
			 struct tronbyt_export *export)
{
	struct faults *faults = reader->faults;
	struct json_walk walk = json_walk(devices);
	unsigned count;

	if (!json_is_object(devices) && !json_get_array(devices, &count))
		faults_add(faults, STR("devices"), "must be an array");
	else if (walk.left == 0)
		faults_add(faults, STR("devices"), "must have a device");
	else if (walk.left > TRONBYT_DEVICES_MAX)
		faults_add(faults, STR("devices"),
			   "must have at most %d devices, has %zu: import several files",
			   TRONBYT_DEVICES_MAX, walk.left);
	else
		read_devices(reader, devices, export);
}

void tronbyt_read(const struct json_value *root, struct faults *faults,
		  struct tronbyt_export *ret_export)
{
	const struct json_value *devices = json_member(root, "devices");
	struct tronbyt_reader reader = {.faults = faults, .export = ret_export, .object = root};
	unsigned entries_left = TRONBYT_ENTRIES_MAX;

	*ret_export =
	    (struct tronbyt_export){.arena = faults->arena, .most_notes = TRONBYT_NOTES_MAX};
	reader.has_levels = has_levels(root, devices);
	if (!json_is_object(root)) {
		faults_add_at(faults, STR(""), STR("must be a JSON object"));
	} else if (devices) {
		read_account(&reader, devices, ret_export);
	} else if (!json_member(root, "id")) {
		faults_add_at(faults, STR(""),
			      STR("must be the export of a device, with an id, or of an account, "
				  "with devices"));
	} else {
		ret_export->devices = arena_alloc(faults->arena, sizeof(ret_export->devices[0]));
		read_device(&reader, ret_export, &entries_left);
	}
}

static void tronbyt_check(void *body, uint64_t seen, struct faults *faults)
{
	struct tronbyt_body *whole = body;

	(void)seen;
	tronbyt_read(whole->root, faults, &whole->export);
}

static const struct record_field body_fields[] = {
    RECORD_ANY(struct tronbyt_body, root),
};
const struct record tronbyt_body_record =
    RECORD(struct tronbyt_body, body_fields, .takes_whole = true, .check = tronbyt_check);

void tronbyt_settle_night(struct tronbyt_export *export, struct tronbyt_device *device,
			  bool has_entry)
{
	if (!device->sleep_enabled || has_entry || device->night_brightness == 0)
		return;
	device->sleep_enabled = false;
	if (device->dim_enabled) {
		tronbyt_note(export, device, (struct str){0}, STR("brightness at night"),
			     "a device has one dimming time here: %lld %% from the start of "
			     "dimming on",
			     (long long)device->dim_brightness);
		return;
	}
	device->dim_enabled = true;
	device->dim_start_minute = device->sleep_start_minute;
	device->dim_brightness = device->night_brightness;
}
