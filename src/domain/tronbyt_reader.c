#include "tronbyt_reader.h"

#include <string.h>

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
    RECORD_STR(struct tronbyt_shown, alias, .name = "alias", .nullable = true),
    RECORD_STR(struct tronbyt_shown, websocket_url, .name = "webSocketUrl", .nullable = true),
    RECORD_STR(struct tronbyt_shown, polling_url, .name = "pollingUrl", .nullable = true),
    RECORD_STR(struct tronbyt_shown, key, .name = "key", .nullable = true),
};
const struct record tronbyt_shown_record = RECORD(struct tronbyt_shown, shown_fields);

static void add_note(struct tronbyt_notes *notes, const struct tronbyt_note *note)
{
	if (notes->count == notes->room) {
		unsigned room = notes->room ? 2 * notes->room : 64;
		struct tronbyt_note *list =
		    arena_alloc(notes->arena, room * sizeof(notes->list[0]));

		if (notes->count)
			memcpy(list, notes->list, notes->count * sizeof(list[0]));
		notes->list = list;
		notes->room = room;
	}
	notes->list[notes->count++] = *note;
}

static void add_text(struct tronbyt_notes *notes, struct str device, struct str entry,
		     struct str what, const char *why, va_list args)
{
	struct tronbyt_note note = {.device = device, .entry = entry, .what = what};

	if (notes->count > TRONBYT_NOTES_MAX)
		return;
	if (notes->count == TRONBYT_NOTES_MAX)
		note = (struct tronbyt_note){
		    .device = device, .what = STR("more"), .why = STR("more was not imported")};
	else
		note.why = arena_vprintf(notes->arena, why, args);
	add_note(notes, &note);
}

void tronbyt_note(struct tronbyt_notes *notes, struct str device, struct str entry, struct str what,
		  const char *why, ...)
{
	va_list args;

	va_start(args, why);
	add_text(notes, device, entry, what, why, args);
	va_end(args);
}

void tronbyt_say(struct tronbyt_reader *reader, const char *what, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	add_text(reader->notes, reader->device, reader->entry, str_from(what), why, args);
	va_end(args);
}

void tronbyt_fault(struct tronbyt_reader *reader, const char *name, const char *detail, ...)
{
	struct arena *arena = reader->faults->arena;
	struct str pointer = reader->pointer, text;
	va_list args;

	if (name)
		pointer = ARENA_JOIN(arena, pointer, STR("/"), str_from(name));
	va_start(args, detail);
	text = arena_vprintf(arena, detail, args);
	va_end(args);
	faults_add_at(reader->faults, pointer, text);
}

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
		tronbyt_fault(reader, name, "must be a string");
	else if (str_find(text, '\0') < text.length)
		tronbyt_fault(reader, name, "must not contain U+0000");
	else
		*ret_value = text;
}

void tronbyt_bool(struct tronbyt_reader *reader, const char *name, bool *ret_value)
{
	const struct json_value *value = tronbyt_member(reader, name);

	if (value && !json_get_bool(value, ret_value))
		tronbyt_fault(reader, name, "must be true or false");
}

void tronbyt_number(struct tronbyt_reader *reader, const char *name, int64_t least, int64_t most,
		    int64_t *ret_value)
{
	const struct json_value *value = tronbyt_member(reader, name);
	int64_t number;

	if (!value)
		return;
	if (!json_get_integer(value, &number)) {
		tronbyt_fault(reader, name, "must be an integer");
		return;
	}
	*ret_value = number < least ? least : number > most ? most : number;
	if (*ret_value != number)
		tronbyt_say(reader, name, "%lld is out of range here, set to %lld",
			    (long long)number, (long long)*ret_value);
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
	struct str text = {0};

	tronbyt_text(reader, name, &text);
	if (text.length == 0)
		return false;
	if (read_clock(text, ret_minute))
		return true;
	tronbyt_say(reader, name, "is not a time of day");
	return false;
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

void tronbyt_say_bool(struct tronbyt_reader *reader, const char *name, const char *why)
{
	bool is_true = false;

	tronbyt_bool(reader, name, &is_true);
	if (is_true)
		tronbyt_say(reader, name, "%s", why);
}
