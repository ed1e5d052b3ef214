#include "tronbyt_reader.h"
#include "domain/device.h"
#include "domain/look.h"

#include <string.h>
#include <text/utf8.h>

static const struct record_field note_fields[] = {
    RECORD_STR(struct tronbyt_note, device, .name = "device"),
    RECORD_STR(struct tronbyt_note, entry, .name = "entry", .nullable = true),
    RECORD_STR(struct tronbyt_note, what, .name = "what"),
    RECORD_STR(struct tronbyt_note, why, .name = "why"),
};
const struct record tronbyt_note_record = RECORD(struct tronbyt_note, note_fields);

static const struct record_field shown_fields[] = {
    RECORD_STR(struct tronbyt_shown, former_id, .name = "formerId"),
    RECORD_STR(struct tronbyt_shown, name, .name = "name"),
    RECORD_ID(struct tronbyt_shown, id, .name = "id", .nullable = true),
    RECORD_STR(struct tronbyt_shown, state, .name = "state"),
    RECORD_INT4(struct tronbyt_shown, entries, .name = "entries"),
    RECORD_INT4(struct tronbyt_shown, entries_in_file, .name = "entriesInFile"),
    RECORD_STR(struct tronbyt_shown, alias, .name = "alias", .nullable = true),
    RECORD_BOOL(struct tronbyt_shown, alias_needs_key, .name = "aliasNeedsKey"),
    RECORD_STR(struct tronbyt_shown, websocket_url, .name = "webSocketUrl", .nullable = true),
    RECORD_STR(struct tronbyt_shown, polling_url, .name = "pollingUrl", .nullable = true),
    RECORD_STR(struct tronbyt_shown, key, .name = "key", .nullable = true),
};
const struct record tronbyt_shown_record = RECORD(struct tronbyt_shown, shown_fields);

/* Drops the last note of the device that has most. Returns false if none has more than this one
 * would have. */
static bool make_room(struct tronbyt_export *export, const struct tronbyt_device *device)
{
	unsigned count = device->notes.count + 1;
	struct tronbyt_notes *most = NULL;

	if (count >= export->most_notes)
		return false;
	for (unsigned i = 0; i < export->device_count; i++)
		if (!most || export->devices[i].notes.count > most->count)
			most = &export->devices[i].notes;
	export->most_notes = most ? most->count : 0;
	if (count >= export->most_notes)
		return false;
	most->count--;
	most->dropped++;
	export->note_count--;
	return true;
}

static void append(struct arena *arena, struct tronbyt_notes *notes, struct tronbyt_note note)
{
	if (notes->count == notes->room) {
		unsigned room = notes->room ? 2 * notes->room : 16;
		struct tronbyt_note *list = arena_alloc(arena, room * sizeof(notes->list[0]));

		if (notes->count)
			memcpy(list, notes->list, notes->count * sizeof(list[0]));
		notes->list = list;
		notes->room = room;
	}
	notes->list[notes->count++] = note;
}

void tronbyt_note_args(struct tronbyt_export *export, struct tronbyt_device *device,
		       struct str entry, struct str what, const char *why, va_list args)
{
	if (export->note_count == TRONBYT_NOTES_MAX && !make_room(export, device)) {
		device->notes.dropped++;
		return;
	}
	export->note_count++;
	append(export->arena, &device->notes,
	       (struct tronbyt_note){.device = device->name,
				     .entry = entry,
				     .what = what,
				     .why = arena_vprintf(export->arena, why, args)});
}

void tronbyt_note(struct tronbyt_export *export, struct tronbyt_device *device, struct str entry,
		  struct str what, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	tronbyt_note_args(export, device, entry, what, why, args);
	va_end(args);
}

/* Words for a member of the export, a literal. */
static struct str words_of(struct arena *arena, const char *member)
{
	static const struct {
		const char *member, *words;
	} all[] = {
	    {"apps", "rotation"},
	    {"auto_pin", "pinning itself"},
	    {"autopin", "pinning itself"},
	    {"color_filter", "colour filter"},
	    {"config", "settings"},
	    {"custom_brightness_scale", "brightness scale"},
	    {"default_interval", "interval"},
	    {"dim_brightness", "brightness when dimmed"},
	    {"dim_color_filter", "colour filter when dimmed"},
	    {"dim_mode_enabled", "dimming"},
	    {"dim_time", "start of dimming"},
	    {"end_time", "end of its hours"},
	    {"api_key", "key"},
	    {"id", "ID"},
	    {"iname", "ID"},
	    {"interstitial_enabled", "entry between entries"},
	    {"location", "place"},
	    {"night_brightness", "brightness at night"},
	    {"night_color_filter", "colour filter at night"},
	    {"night_end", "end of the night"},
	    {"night_mode_app", "entry for the night"},
	    {"night_mode_enabled", "night"},
	    {"night_start", "start of the night"},
	    {"pinned_app", "pinned entry"},
	    {"require_api_key", "key"},
	    {"show_full_animation", "whole animations"},
	    {"start_time", "start of its hours"},
	    {"swap_colors", "swapped colours"},
	    {"timezone", "time zone"},
	    {"type", "board"},
	    {"uinterval", "render interval"},
	    {"use_custom_recurrence", "recurrence"},
	};
	struct str text = str_from(member);

	for (size_t i = 0; i < array_length(all); i++)
		if (str_equal(text, str_from(all[i].member)))
			return str_from(all[i].words);
	if (str_find(text, '_') == text.length)
		return text;
	text = arena_copy(arena, text);
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] == '_')
			((char *)text.data)[i] = ' ';
	return text;
}

void tronbyt_say(struct tronbyt_reader *reader, const char *member, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	tronbyt_note_args(reader->export, reader->device, reader->entry,
			  words_of(reader->export->arena, member), why, args);
	va_end(args);
}

/* ---- members ---- */

const struct json_value *tronbyt_member(const struct tronbyt_reader *reader, const char *name)
{
	const struct json_value *value = json_member(reader->object, name);

	return value && !json_is_null(value) ? value : NULL;
}

void tronbyt_text(struct tronbyt_reader *reader, const char *name, struct str *ret_value)
{
	const struct json_value *value = tronbyt_member(reader, name);
	struct str text;

	if (!value)
		return;
	if (!json_get_str(value, &text))
		tronbyt_say(reader, name, "is not a text in the file: left out");
	else if (str_find(text, '\0') < text.length)
		tronbyt_say(reader, name, "contains U+0000: left out");
	else
		*ret_value = text;
}

void tronbyt_bool(struct tronbyt_reader *reader, const char *name, bool *ret_value)
{
	const struct json_value *value = tronbyt_member(reader, name);
	int64_t number;

	if (!value || json_get_bool(value, ret_value))
		return;
	if (json_get_integer(value, &number))
		*ret_value = number != 0;
	else
		tronbyt_say(reader, name, "is neither on nor off in the file: left %s",
			    *ret_value ? "on" : "off");
}

/* Reads a number; a fraction is cut off, as the other server does, and a number beyond 32 bits is
 * the nearest within them. */
static bool read_number(const struct json_value *value, int64_t *ret_number)
{
	double number;

	if (!json_get_number(value, &number))
		return false;
	*ret_number = number < INT32_MIN   ? INT32_MIN
		      : number > INT32_MAX ? INT32_MAX
					   : (int64_t)number;
	return true;
}

/* Sets a number to the nearer limit. Its note names the number as the file has it. */
static void hold(struct tronbyt_reader *reader, const char *name, const struct json_value *value,
		 int64_t least, int64_t most, int64_t *ret_value)
{
	enum { SHOWN_MAX = 30 };
	struct str text = json_get_literal(value);
	int64_t number = 0;

	if (!read_number(value, &number))
		return;
	*ret_value = number < least ? least : number > most ? most : number;
	if (*ret_value == number)
		return;
	tronbyt_say(reader, name, "%.*s is out of range here, set to %lld",
		    STR_ARG(tronbyt_cut(text, SHOWN_MAX)), (long long)*ret_value);
}

void tronbyt_number(struct tronbyt_reader *reader, const char *name, int64_t least, int64_t most,
		    int64_t *ret_value)
{
	const struct json_value *value = tronbyt_member(reader, name);
	int64_t number;

	if (value && read_number(value, &number))
		hold(reader, name, value, least, most, ret_value);
	else if (value)
		tronbyt_say(reader, name, "is not a number in the file: set to %lld",
			    (long long)*ret_value);
}

bool tronbyt_is_percentage(const struct json_value *value)
{
	int64_t number;

	return value && read_number(value, &number) && number > TRONBYT_LEVEL_MAX;
}

/* Returns the percentage of a level, or -1. */
static int64_t percent_of(struct str scale, int64_t level)
{
	struct str text;
	unsigned long long percent;

	if (level < 0 || level > TRONBYT_LEVEL_MAX)
		return -1;
	for (int64_t i = 0; i <= level; i++)
		if (!str_next(&scale, ',', &text))
			return -1;
	return str_to_uint64(str_trim(text), 100, &percent) ? (int64_t)percent : -1;
}

void tronbyt_brightness(struct tronbyt_reader *reader, const char *name, struct str scale,
			int64_t *ret_percent)
{
	const struct json_value *value = tronbyt_member(reader, name);
	int64_t number, percent;

	if (value && json_is_object(value) && json_member(value, "value"))
		value = json_member(value, "value");
	else if (value && reader->has_levels && read_number(value, &number)) {
		percent = percent_of(scale, number);
		if (percent < 0)
			percent = percent_of(STR("0,3,5,12,35,100"), number);
		if (percent >= 0) {
			*ret_percent = percent;
			return;
		}
	}
	if (value && read_number(value, &number))
		hold(reader, name, value, 0, 100, ret_percent);
	else if (value)
		tronbyt_say(reader, name, "is not a number in the file: set to %lld %%",
			    (long long)*ret_percent);
}

/* Reads "8:05" and "08:05:00" as "08:05". */
static bool read_clock(struct str text, int64_t *ret_minute)
{
	char padded[5] = {'0'};

	if (text.length == 8 && text.data[5] == ':')
		text.length = 5;
	if (text.length != 4)
		return clock_parse(text, ret_minute);
	memcpy(padded + 1, text.data, 4);
	return clock_parse((struct str){padded, sizeof(padded)}, ret_minute);
}

bool tronbyt_clock(struct tronbyt_reader *reader, const char *name, int64_t *ret_minute)
{
	const struct json_value *value = tronbyt_member(reader, name);
	struct str text = {0};
	int64_t hour;

	if (value && json_get_integer(value, &hour) && hour >= 0 && hour < 24) {
		*ret_minute = hour * 60;
		return true;
	}
	if (!value || (json_get_str(value, &text) && text.length == 0))
		return false;
	if (text.length && read_clock(text, ret_minute))
		return true;
	if (*ret_minute < 0)
		tronbyt_say(reader, name, "is not a time of day: left out");
	else
		tronbyt_say(reader, name, "is not a time of day: left at %02d:%02d",
			    (int)(*ret_minute / 60), (int)(*ret_minute % 60));
	return false;
}

struct str tronbyt_id(struct tronbyt_reader *reader, const char *name)
{
	const struct json_value *value = tronbyt_member(reader, name);
	struct str text = {0};
	int64_t number;

	if (!value)
		return reader->key.data ? reader->key : (struct str){0};
	if (json_get_integer(value, &number))
		return arena_printf(reader->faults->arena, "%lld", (long long)number);
	if (!json_get_str(value, &text) || str_find(text, '\0') < text.length)
		return (struct str){0};
	return text;
}

void tronbyt_say_text(struct tronbyt_reader *reader, const char *name, const char *nothing,
		      const char *why)
{
	struct str text = {0}, rest = str_from(nothing), word;

	tronbyt_text(reader, name, &text);
	if (text.length == 0)
		return;
	while (str_next(&rest, ' ', &word))
		if (str_equal(text, word))
			return;
	tronbyt_say(reader, name, "%s", why);
}

void tronbyt_filter(struct tronbyt_reader *reader, const char *name, struct str *ret_filter)
{
	struct str text = {0};

	tronbyt_text(reader, name, &text);
	if (text.length == 0 ||
	    (str_equal(text, STR("inherit")) && str_equal(*ret_filter, STR("none"))))
		return;
	if (color_filter_check_inherited(text))
		tronbyt_say(reader, name, "is not a filter of this server: left out");
	else
		*ret_filter = text;
}

void tronbyt_say_bool(struct tronbyt_reader *reader, const char *name, const char *why)
{
	bool is_true = false;

	tronbyt_bool(reader, name, &is_true);
	if (is_true)
		tronbyt_say(reader, name, "%s", why);
}

struct str tronbyt_cut(struct str text, unsigned most)
{
	struct str rest = text;

	for (unsigned i = 0; i < most && rest.length; i++)
		(void)utf8_next(&rest);
	return (struct str){text.data, text.length - rest.length};
}

struct str tronbyt_take_note(struct tronbyt_reader *reader)
{
	struct str note = {0}, kept;

	tronbyt_text(reader, "notes", &note);
	if (device_note_check(note)) {
		tronbyt_say(reader, "notes", "has control characters: left out");
		return STR("");
	}
	kept = tronbyt_cut(note, NOTE_LENGTH_MAX);
	if (kept.length < note.length)
		tronbyt_say(reader, "notes", "notes have at most %d characters here: cut",
			    NOTE_LENGTH_MAX);
	return kept;
}
