#include "view_hint.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "db/hint_text.h"

enum { FIELD_COUNT = 14, INSTALLATION_BYTES_MAX = 4 * LIMIT_INSTALLATION_ID };

/* ---- writing ---- */

static void add_picture(struct buffer *word, const struct view_picture *picture)
{
	char text[VIEW_PICTURE_TEXT_BYTES];

	buffer_printf(word, ":%d:", picture->kind);
	buffer_append_str(word, view_picture_text(picture, text));
	buffer_append_str(word, STR(":"));
	hint_text_write(word, picture->installation_id);
}

struct str view_hint_write(struct arena *arena, struct id device_id, struct id sender,
			   const struct panel_view *view)
{
	char device[ID_TEXT_LENGTH + 1], from[ID_TEXT_LENGTH + 1];
	struct buffer word = {0};
	struct str text;

	id_format(device_id, device);
	id_format(sender, from);
	buffer_printf(&word, "shows:%s:%s:%d:%d:%d:%lld:%lld:%lld", device, from, view->connection,
		      view->is_acknowledged, view->brightness, (long long)view->since_us,
		      (long long)view->until_us, (long long)view->rank_us);
	add_picture(&word, &view->now);
	add_picture(&word, &view->next);
	text = arena_copy(arena, buffer_view(&word));
	buffer_finish(&word);
	return text;
}

struct str watch_hint_write(struct arena *arena, const char *kind, struct id device_id,
			    struct id sender)
{
	char device[ID_TEXT_LENGTH + 1], from[ID_TEXT_LENGTH + 1];

	id_format(device_id, device);
	id_format(sender, from);
	return arena_printf(arena, "%s:%s:%s", kind, device, from);
}

/* ---- reading ---- */

static bool read_picture(const struct str *fields, struct arena *arena,
			 struct view_picture *ret_picture)
{
	int64_t kind;

	if (!hint_number_read(fields[0], SHOWN_KINDS - 1, &kind))
		return false;
	ret_picture->kind = (enum shown_kind)kind;
	ret_picture->has_hash = fields[1].length > 0;
	if (ret_picture->has_hash &&
	    !view_picture_parse(fields[1], ret_picture->hash, &ret_picture->filter))
		return false;
	return hint_text_read(fields[2], INSTALLATION_BYTES_MAX, arena,
			      &ret_picture->installation_id);
}

static bool read_view(const struct str *fields, struct arena *arena, struct panel_view *ret_view)
{
	int64_t connection, is_acknowledged, brightness;

	*ret_view = (struct panel_view){0};
	if (!hint_number_read(fields[2], SHOWN_POLLING, &connection) ||
	    !hint_number_read(fields[3], 1, &is_acknowledged) ||
	    !hint_number_read(fields[4], 100, &brightness) ||
	    !hint_number_read(fields[5], INT64_MAX, &ret_view->since_us) ||
	    !hint_number_read(fields[6], INT64_MAX, &ret_view->until_us) ||
	    !hint_number_read(fields[7], INT64_MAX, &ret_view->rank_us))
		return false;
	ret_view->connection = (enum shown_connection)connection;
	ret_view->is_acknowledged = is_acknowledged;
	ret_view->brightness = (int)brightness;
	return read_picture(fields + 8, arena, &ret_view->now) &&
	       read_picture(fields + 11, arena, &ret_view->next);
}

bool view_hint_read(struct str text, struct arena *arena, struct id *ret_device_id,
		    struct id *ret_sender, struct panel_view *ret_view)
{
	struct str fields[FIELD_COUNT];

	return hint_split(text, fields, FIELD_COUNT) && id_parse(fields[0], ret_device_id) &&
	       id_parse(fields[1], ret_sender) && read_view(fields, arena, ret_view);
}

bool watch_hint_read(struct str text, struct id *ret_device_id, struct id *ret_sender)
{
	struct str fields[2];

	return hint_split(text, fields, 2) && id_parse(fields[0], ret_device_id) &&
	       id_parse(fields[1], ret_sender);
}
