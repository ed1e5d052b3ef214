#include "happenings.h"
#include "record/json.h"

#include <sodium.h>

enum { WAITING_BYTES_MAX = 256 * 1024 };

/* word: the hint, from which the ID is derived: the same in all workers. */
static void append(struct happenings *happenings, struct listener *listener, const char *name,
		   struct id device_id, struct str word, struct str data)
{
	uint8_t id[EVENT_ID_BYTES];

	crypto_generichash(id, sizeof(id), (const uint8_t *)word.data, word.length, NULL, 0);
	listeners_append(happenings->listeners, listener, id, name, device_id, data);
}

static void begin_data(struct buffer *json, struct id device_id)
{
	char device[ID_TEXT_LENGTH + 1];

	id_format(device_id, device);
	buffer_printf(json, "{\"deviceId\":\"%s\"", device);
}

static void add_text(struct buffer *json, const char *name, struct str text)
{
	buffer_printf(json, ",\"%s\":", name);
	if (text.data)
		json_write_str(json, text);
	else
		buffer_append_str(json, STR("null"));
}

static void on_device_change(struct happenings *happenings, struct str word)
{
	struct buffer json = {0};
	struct listener *listener;
	struct id device_id;

	if (word.length <= ID_TEXT_LENGTH ||
	    !id_parse((struct str){word.data, ID_TEXT_LENGTH}, &device_id))
		return;
	listener = listeners_of_device(happenings->listeners, device_id);
	if (!listener)
		return;
	begin_data(&json, device_id);
	buffer_append_char(&json, '}');
	append(happenings, listener, "changed", device_id, word, buffer_view(&json));
	buffer_finish(&json);
}

static void write_failure(struct buffer *json, const struct event_hint *hint)
{
	char app[ID_TEXT_LENGTH + 1];

	id_format(hint->app_id, app);
	add_text(json, "appId", str_from(app));
	add_text(json, "message", hint->message);
}

static void on_happening(struct happenings *happenings, struct str word)
{
	struct arena arena = {0};
	struct buffer json = {0};
	struct event_hint hint;
	struct listener *listener = NULL;

	if (event_hint_read(word, &arena, &hint))
		listener = listeners_find(happenings->listeners, hint.account_id);
	if (listener && hint.kind == EVENT_LOST) {
		listeners_lose(happenings->listeners, listener);
	} else if (listener) {
		begin_data(&json, hint.device_id);
		add_text(&json, "installationId", hint.installation_id);
		if (hint.kind == EVENT_FAILED)
			write_failure(&json, &hint);
		buffer_append_char(&json, '}');
		append(happenings, listener, hint.kind == EVENT_FAILED ? "failed" : "pushed",
		       hint.device_id, word, buffer_view(&json));
	}
	buffer_finish(&json);
	arena_finish(&arena);
}

static void happenings_take(struct happenings *happenings, char kind, struct str word)
{
	if (kind == 'd')
		on_device_change(happenings, word);
	else
		on_happening(happenings, word);
}

static void take_or_keep(struct happenings *happenings, char kind, struct str word)
{
	if (happenings->listeners->accounts.count == 0)
		return;
	if (listeners_are_ready(happenings->listeners)) {
		happenings_take(happenings, kind, word);
		return;
	}
	if (buffer_length(&happenings->waiting) + word.length > WAITING_BYTES_MAX) {
		buffer_clear(&happenings->waiting);
		listeners_lose_all(happenings->listeners);
		return;
	}
	buffer_append_char(&happenings->waiting, kind);
	buffer_append_str(&happenings->waiting, word);
	buffer_append_char(&happenings->waiting, '\n');
}

void happenings_take_waiting(struct happenings *happenings)
{
	struct buffer waiting = happenings->waiting;
	struct str rest = buffer_view(&waiting), word;

	happenings->waiting = (struct buffer){0};
	while (str_next(&rest, '\n', &word)) {
		if (word.length)
			happenings_take(happenings, word.data[0], str_from_offset(word, 1));
	}
	buffer_finish(&waiting);
}

static void on_device_hint(struct hint_subscription *hints, struct str text)
{
	take_or_keep(container_of(hints, struct happenings, devices), 'd', text);
}

static void on_event_hint(struct hint_subscription *hints, struct str text)
{
	take_or_keep(container_of(hints, struct happenings, events), 'e', text);
}

/* Waiting hints arrived before others were missed. */
static void on_up(struct hint_subscription *hints, bool up)
{
	(void)up;
	buffer_clear(&container_of(hints, struct happenings, events)->waiting);
}

void happenings_init(struct happenings *happenings)
{
	happenings->events = (struct hint_subscription){
	    .kind = STR("event"), .on_hint = on_event_hint, .on_up = on_up};
	happenings->devices =
	    (struct hint_subscription){.kind = STR("device"), .on_hint = on_device_hint};
	db_subscribe(happenings->db, &happenings->events);
	db_subscribe(happenings->db, &happenings->devices);
}

void happenings_finish(struct happenings *happenings)
{
	db_unsubscribe(&happenings->events);
	db_unsubscribe(&happenings->devices);
	buffer_finish(&happenings->waiting);
}
