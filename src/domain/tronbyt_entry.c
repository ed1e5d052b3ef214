#include "domain/device.h"
#include "domain/entry_change.h"
#include "domain/recurrence.h"
#include "domain/schedule.h"
#include "tronbyt_reader.h"

#include <text/utf8.h>

enum { ORDER_MAX = 1000 * 1000, APP_NAME_MAX = 200, PATH_BYTES_MAX = 4096 };

/* ---- hours ---- */

static void read_hours(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	bool has_start = tronbyt_clock(reader, "start_time", &entry->start_minute);
	bool has_end = tronbyt_clock(reader, "end_time", &entry->end_minute);

	if (has_start == has_end)
		return;
	/* The other server fills in a missing start or end. */
	if (!has_start)
		entry->start_minute = 0;
	if (!has_end)
		entry->end_minute = 23 * 60 + 59;
}

static void read_days(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	const struct json_value *days = tronbyt_member(reader, "days");
	unsigned count = 0;

	entry->weekdays = WEEKDAYS_ALL;
	if (!days)
		return;
	if (!json_get_array(days, &count) || (count && !weekdays_read_any(days, &entry->weekdays)))
		tronbyt_say(reader, "days", "are not names of weekdays: shown every day");
}

static void read_display(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	int64_t seconds = 0;

	tronbyt_number(reader, "display_time", 0, DISPLAY_MAX_S, &seconds);
	if (seconds > 0 && seconds < DISPLAY_MIN_S) {
		tronbyt_say(reader, "display_time", "%lld is out of range here, set to %d",
			    (long long)seconds, DISPLAY_MIN_S);
		seconds = DISPLAY_MIN_S;
	}
	entry->display_s = seconds;
}

/* ---- app and settings ---- */

static void read_settings(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	const struct json_value *config = tronbyt_member(reader, "config");
	struct faults wrong;

	if (!config)
		return;
	faults_init_to(&wrong, reader->faults->arena, TRONBYT_NOTES_MAX);
	settings_read_all(config, STR("config"), &wrong, &entry->settings);
	for (unsigned i = 0; i < wrong.count; i++) {
		bool is_one = wrong.list[i].pointer.length > strlen("/config");
		struct str name = wrong.list[i].name;

		tronbyt_note(reader->export, reader->device, reader->entry,
			     is_one ? ARENA_JOIN(wrong.arena, STR("setting "),
						 name.length ? name : STR("without a name"))
				    : STR("settings"),
			     "%.*s", STR_ARG(wrong.list[i].detail));
	}
}

static void read_name(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	struct str notes = {0};

	tronbyt_text(reader, "notes", &notes);
	if (notes.length == 0)
		return;
	if (utf8_length(notes) <= LIMIT_INSTALLATION_ID && !device_name_check(notes))
		entry->name = notes;
	else
		entry->note = tronbyt_take_note(reader);
}

/* It is a text in requests, and true, false or null in files. */
static void read_animation(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	const struct json_value *value = tronbyt_member(reader, "show_full_animation");
	struct str text;

	if (!value || !json_get_str(value, &text)) {
		tronbyt_bool(reader, "show_full_animation", &entry->plays_whole);
		return;
	}
	entry->plays_whole = str_equal_ignore_case(text, STR("true"));
	if (!entry->plays_whole && text.length && !str_equal_ignore_case(text, STR("false")) &&
	    !str_equal(text, STR("auto")))
		tronbyt_say(reader, "show_full_animation",
			    "is neither true, false nor auto in the file: left at auto");
}

/* ---- recurrence ---- */

static const char *const rfc_weekdays[WEEKDAYS] = {"MO", "TU", "WE", "TH", "FR", "SA", "SU"};

/* Returns a date of the file, or an empty text. */
static struct str read_date(struct tronbyt_reader *reader, const char *member, int *ret_weekday)
{
	struct str date = {0};

	tronbyt_text(reader, member, &date);
	if (date.length == 0 || recurrence_read_date(date, ret_weekday))
		return date.data ? date : STR("");
	tronbyt_say(reader, member, "%.*s is not a date: left out", STR_ARG(tronbyt_cut(date, 20)));
	return STR("");
}

/* Returns what BYDAY has for these weekdays: bit 0 is Monday. */
static struct str name_days(struct arena *arena, int64_t days)
{
	struct str text = STR("");

	for (int day = 0; day < WEEKDAYS; day++)
		if (days >> day & 1)
			text = ARENA_JOIN(arena, text, text.length ? STR(",") : STR(""),
					  str_from(rfc_weekdays[day]));
	return text;
}

/* Reads a weekday of each month, as in "first_monday" or "last_friday". Returns an empty text if it
 * is none. */
static struct str read_month_weekday(struct arena *arena, struct str text)
{
	static const struct {
		struct str word, number;
	} places[] = {{STR("first"), STR("1")},
		      {STR("second"), STR("2")},
		      {STR("third"), STR("3")},
		      {STR("fourth"), STR("4")},
		      {STR("last"), STR("-1")}};
	size_t line = str_find(text, '_');
	struct str place = {text.data, line},
		   name = str_from_offset(text, line + (line < text.length));
	int day = weekday_parse(name);

	for (size_t i = 0; day >= 0 && i < array_length(places); i++)
		if (str_equal(place, places[i].word))
			return ARENA_JOIN(arena, places[i].number, str_from(rfc_weekdays[day]));
	return STR("");
}

/* Returns the part of the rule that the pattern stands for: without one, each day. */
static struct str read_pattern(struct tronbyt_reader *reader, bool is_weekly)
{
	struct tronbyt_reader pattern = *reader;
	struct arena *arena = reader->faults->arena;
	struct str name = STR(""), day;
	int64_t days = WEEKDAYS_ALL, number = 0;

	pattern.object = tronbyt_member(reader, "recurrence_pattern");
	if (pattern.object && json_is_object(pattern.object)) {
		const struct json_value *list = tronbyt_member(&pattern, "weekdays");
		unsigned count = 0;

		if (is_weekly && list &&
		    (!json_get_array(list, &count) || (count && !weekdays_read_any(list, &days))))
			tronbyt_say(reader, "recurrence_pattern",
				    "has other names than those of weekdays: shown each day");
		if (!is_weekly)
			tronbyt_number(&pattern, "day_of_month", 1, 31, &number);
		if (number)
			return arena_printf(arena, ";BYMONTHDAY=%d", (int)number);
		if (!is_weekly)
			tronbyt_text(&pattern, "day_of_week", &name);
		day = read_month_weekday(arena, name);
		if (day.length)
			return ARENA_JOIN(arena, STR(";BYDAY="), day);
		if (name.length)
			tronbyt_say(reader, "recurrence_pattern",
				    "names no weekday of a month: shown each day of it");
	} else if (pattern.object) {
		tronbyt_say(reader, "recurrence_pattern",
			    "is not an object in the file: shown each day");
	}
	return ARENA_JOIN(arena, STR(";BYDAY="), name_days(arena, days));
}

/* The other server ignores an entry's weekdays then, and counts weeks from the start. */
static void read_recurrence(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	static const struct str kinds[] = {STR("daily"), STR("weekly"), STR("monthly"),
					   STR("yearly")};
	static const char *const names[] = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
	enum {
		WEEKLY = 1,
		MONTHLY = 2,
		WEDNESDAY = 2
	}; /* 2025-01-01, from which it counts without a start */
	struct arena *arena = reader->faults->arena;
	struct str kind = {0}, until, parts = STR("");
	int64_t every = 1;
	bool is_used = false;
	unsigned i = 0;
	int start_day = WEDNESDAY, weekday;

	entry->recurrence_rule = entry->recurrence_start = STR("");
	tronbyt_bool(reader, "use_custom_recurrence", &is_used);
	tronbyt_text(reader, "recurrence_type", &kind);
	if (!is_used || kind.length == 0)
		return;
	while (i < array_length(kinds) && !str_equal(kind, kinds[i]))
		i++;
	if (i == array_length(kinds)) {
		tronbyt_say(reader, "recurrence_type",
			    "is none of daily, weekly, monthly, yearly: shown each day");
		return;
	}
	tronbyt_number(reader, "recurrence_interval", 0, RECURRENCE_INTERVAL_MAX, &every);
	entry->recurrence_start = read_date(reader, "recurrence_start_date", &start_day);
	until = read_date(reader, "recurrence_end_date", &weekday);
	if (i == WEEKLY || i == MONTHLY)
		parts = read_pattern(reader, i == WEEKLY);
	if (i == WEEKLY)
		parts = ARENA_JOIN(arena, parts, STR(";WKST="), str_from(rfc_weekdays[start_day]));
	if (until.length)
		parts = ARENA_JOIN(arena, parts,
				   arena_printf(arena, ";UNTIL=%.4s%.2s%.2s", until.data,
						until.data + 5, until.data + 8));
	entry->recurrence_rule = arena_printf(arena, "FREQ=%s;INTERVAL=%d%.*s", names[i],
					      every ? (int)every : 1, STR_ARG(parts));
	entry->weekdays = WEEKDAYS_ALL;
}

/* Returns false if the entry is not imported. */
static bool read_entry(struct tronbyt_reader *reader, struct tronbyt_entry *entry)
{
	bool is_pushed = false;

	*entry = (struct tronbyt_entry){
	    .is_enabled = true, .start_minute = -1, .end_minute = -1, .weekdays = WEEKDAYS_ALL};
	entry->former_id = tronbyt_id(reader, "iname");
	reader->entry = entry->former_id.length ? entry->former_id : STR("?");
	tronbyt_text(reader, "name", &entry->app);
	tronbyt_text(reader, "path", &entry->path);
	entry->shown = entry->former_id.length ? entry->former_id : entry->app;
	if (entry->former_id.length && entry->app.length)
		entry->shown =
		    ARENA_JOIN(reader->faults->arena, entry->app, STR(" "), entry->former_id);
	if (entry->shown.length == 0)
		entry->shown = STR("?");
	reader->entry = entry->shown;
	tronbyt_bool(reader, "pushed", &is_pushed);
	tronbyt_bool(reader, "enabled", &entry->is_enabled);
	tronbyt_number(reader, "order", 0, ORDER_MAX, &entry->order);
	if (is_pushed) {
		tronbyt_say(reader, "entry", "exports contain no pushed pictures: push it again");
		return false;
	}
	if (entry->app.length == 0 && entry->path.length == 0) {
		tronbyt_say(reader, "entry", "it names no app");
		return false;
	}
	if (utf8_length(entry->app) > APP_NAME_MAX || entry->path.length > PATH_BYTES_MAX) {
		tronbyt_say(reader, "entry",
			    "the name of its app has more than %d characters, or its path more "
			    "than %d bytes",
			    APP_NAME_MAX, PATH_BYTES_MAX);
		return false;
	}
	read_display(reader, entry);
	read_hours(reader, entry);
	read_days(reader, entry);
	read_settings(reader, entry);
	read_name(reader, entry);
	read_animation(reader, entry);
	entry->color_filter = STR("inherit");
	tronbyt_filter(reader, "color_filter", &entry->color_filter);
	tronbyt_bool(reader, tronbyt_member(reader, "autopin") ? "autopin" : "auto_pin",
		     &entry->pins_itself);
	read_recurrence(reader, entry);
	return true;
}

/* ---- all of a device ---- */

/* Insertion sort, which keeps the order of equal entries; there are at most a hundred. */
static void sort(struct tronbyt_entry *entries, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		struct tronbyt_entry entry = entries[i];
		unsigned index = i;

		for (; index > 0 && entries[index - 1].order > entry.order; index--)
			entries[index] = entries[index - 1];
		entries[index] = entry;
	}
}

static bool is_twice(const struct tronbyt_device *device, const struct tronbyt_entry *entry)
{
	for (unsigned i = 0; entry->former_id.length && i < device->entry_count; i++)
		if (str_equal(device->entries[i].former_id, entry->former_id))
			return true;
	return false;
}

static void add_entry(struct tronbyt_reader *reader, struct tronbyt_device *device,
		      unsigned *entries_left)
{
	struct tronbyt_entry entry;

	if (!json_is_object(reader->object)) {
		reader->entry = reader->key.data ? reader->key : STR("?");
		tronbyt_say(reader, "entry", "is not an object in the file");
		return;
	}
	if (!read_entry(reader, &entry))
		return;
	if (is_twice(device, &entry)) {
		tronbyt_say(reader, "entry", "another entry of the device has the same ID");
	} else if (device->entry_count == LIMIT_DEVICE_INSTALLATIONS) {
		tronbyt_say(reader, "entry", "a device has at most %d entries",
			    LIMIT_DEVICE_INSTALLATIONS);
	} else if (*entries_left == 0) {
		tronbyt_say(reader, "entry", "one import takes at most %d entries",
			    TRONBYT_ENTRIES_MAX);
	} else {
		--*entries_left;
		device->entries[device->entry_count++] = entry;
	}
}

void tronbyt_read_entries(const struct tronbyt_reader *device, struct tronbyt_device *ret_device,
			  unsigned *entries_left)
{
	struct tronbyt_reader list = *device, one = *device;
	const struct json_value *apps = tronbyt_member(device, "apps");
	struct arena *arena = device->faults->arena;
	struct json_walk walk = json_walk(apps);
	bool is_object = json_is_object(apps);
	unsigned count;

	if (!apps)
		return;
	if (!is_object && !json_get_array(apps, &count)) {
		tronbyt_say(&list, "apps", "is not a list in the file: left out");
		return;
	}
	one.key = (struct str){0};
	ret_device->entries =
	    arena_alloc(arena, LIMIT_DEVICE_INSTALLATIONS * sizeof(ret_device->entries[0]));
	while (is_object ? json_next_member(&walk, &one.key, &one.object)
			 : json_next_item(&walk, &one.object)) {
		one.entry = (struct str){0};
		add_entry(&one, ret_device, entries_left);
	}
	sort(ret_device->entries, ret_device->entry_count);
}
