#include "event_hint.h"
#include "base/limits.h"
#include "db/hint_text.h"

#include <text/utf8.h>

enum {
	FIELD_COUNT = 7,
	INSTALLATION_BYTES_MAX = 4 * LIMIT_INSTALLATION_ID,
	/* Percent-encoded it is three times as long, in a word that has 1,000 bytes more. */
	MESSAGE_BYTES_MAX = 300,
};

static const char *const kinds[EVENT_KINDS] = {
    [EVENT_PUSHED] = "pushed", [EVENT_FAILED] = "failed", [EVENT_LOST] = "lost"};

static void add_id(struct buffer *word, struct id id)
{
	char text[ID_TEXT_LENGTH + 1] = "";

	if (!id_is_none(id))
		id_format(id, text);
	buffer_printf(word, ":%s", text);
}

struct str event_hint_write(struct arena *arena, const struct event_hint *hint)
{
	struct buffer word = {0};
	struct str text;

	buffer_append_str(&word, STR("event"));
	add_id(&word, hint->account_id);
	buffer_printf(&word, ":%s", kinds[hint->kind]);
	add_id(&word, hint->device_id);
	buffer_printf(&word, ":%lld:", (long long)hint->generation);
	hint_text_write(&word, hint->installation_id);
	add_id(&word, hint->app_id);
	buffer_append_char(&word, ':');
	hint_text_write(&word, utf8_cut(hint->message, MESSAGE_BYTES_MAX));
	text = arena_copy(arena, buffer_view(&word));
	buffer_finish(&word);
	return text;
}

static bool read_kind(struct str text, enum event_kind *ret_kind)
{
	for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
		if (str_equal(text, str_from(kinds[kind]))) {
			*ret_kind = kind;
			return true;
		}
	}
	return false;
}

bool event_hint_read(struct str text, struct arena *arena, struct event_hint *ret_hint)
{
	struct str fields[FIELD_COUNT];
	unsigned long long generation;

	*ret_hint = (struct event_hint){0};
	if (!hint_split(text, fields, FIELD_COUNT) || !id_parse(fields[0], &ret_hint->account_id) ||
	    !read_kind(fields[1], &ret_hint->kind))
		return false;
	if (ret_hint->kind == EVENT_LOST)
		return true;
	if (!id_parse(fields[2], &ret_hint->device_id) ||
	    !str_to_uint64(fields[3], INT64_MAX, &generation) ||
	    !hint_text_read(fields[4], INSTALLATION_BYTES_MAX, arena, &ret_hint->installation_id))
		return false;
	ret_hint->generation = (int64_t)generation;
	if (ret_hint->kind == EVENT_PUSHED)
		return true;
	return id_parse(fields[5], &ret_hint->app_id) &&
	       hint_text_read(fields[6], MESSAGE_BYTES_MAX, arena, &ret_hint->message);
}
