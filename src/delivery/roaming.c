#include "roaming.h"
#include "base/arena.h"
#include "base/clock.h"
#include "db/hint_text.h"

enum { FIELD_COUNT = 11, DWELL_MAX_S = 1 << 20 };

/* ---- words ---- */

/* Numbers that may be -1 are told as one more. */
static struct str write_word(struct arena *arena, struct id device_id, struct id sender,
			     const struct cursor_travel *travel)
{
	const struct poll_cursor *cursor = &travel->cursor;
	char device[ID_TEXT_LENGTH + 1], from[ID_TEXT_LENGTH + 1];

	id_format(device_id, device);
	id_format(sender, from);
	return arena_printf(arena, "polled:%s:%s:%u:%u:%lld:%lld:%lld:%d:%lld:%lld:%lld", device,
			    from, travel->number, travel->dwell_s, (long long)cursor->position + 1,
			    (long long)cursor->push_seen, (long long)cursor->remaining_s,
			    cursor->remains_of_push, (long long)cursor->turns_seen + 1,
			    (long long)travel->shown_generation, (long long)travel->shown_us);
}

static bool read_cursor(const struct str *fields, struct poll_cursor *ret_cursor)
{
	int64_t remains_of_push;

	if (!hint_number_read(fields[0], INT64_MAX, &ret_cursor->position) ||
	    !hint_number_read(fields[1], INT64_MAX, &ret_cursor->push_seen) ||
	    !hint_number_read(fields[2], INT32_MAX, &ret_cursor->remaining_s) ||
	    !hint_number_read(fields[3], 1, &remains_of_push) ||
	    !hint_number_read(fields[4], INT64_MAX, &ret_cursor->turns_seen))
		return false;
	ret_cursor->position--;
	ret_cursor->remains_of_push = remains_of_push;
	ret_cursor->turns_seen--;
	return true;
}

/* fields: those after the IDs. */
static bool read_travel(const struct str *fields, struct cursor_travel *ret_travel)
{
	int64_t number, dwell_s;

	*ret_travel = (struct cursor_travel){0};
	if (!hint_number_read(fields[0], UINT32_MAX, &number) ||
	    !hint_number_read(fields[1], DWELL_MAX_S, &dwell_s) ||
	    !read_cursor(fields + 2, &ret_travel->cursor) ||
	    !hint_number_read(fields[7], INT64_MAX, &ret_travel->shown_generation) ||
	    !hint_number_read(fields[8], INT64_MAX, &ret_travel->shown_us))
		return false;
	ret_travel->number = (uint32_t)number;
	ret_travel->dwell_s = (uint32_t)dwell_s;
	return true;
}

/* ---- hints ---- */

/* The carrier hears the word first; the other workers of its instance find it taken. */
static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct roaming *roaming = container_of(hints, struct roaming, hints);
	struct str fields[FIELD_COUNT];
	struct cursor_travel travel;
	struct id device_id, sender;

	if (!hint_split(text, fields, FIELD_COUNT) || !id_parse(fields[0], &device_id) ||
	    !id_parse(fields[1], &sender) || cursors_have_worker(roaming->cursors, sender) ||
	    !read_travel(fields + 2, &travel))
		return;
	cursor_take(roaming->cursors, device_id, &travel,
		    &(struct cursor_moment){.wall_us = clock_wall_us(),
					    .loop_ms = loop_now_ms(roaming->loop),
					    .dwell_s = travel.dwell_s});
}

void roaming_polled(const struct roaming *roaming, struct id device_id, int64_t dwell_s)
{
	uint64_t others_since_ms = db_others_since_ms(roaming->db);
	uint64_t now_ms = loop_now_ms(roaming->loop);
	uint64_t roams_ms = ROAMING_MS + ROAMING_DWELLS * (uint64_t)dwell_s * 1000;
	struct cursor_travel travel;
	struct arena arena = {0};

	if (others_since_ms == 0 ||
	    !cursor_tell(roaming->cursors, device_id, others_since_ms,
			 now_ms > roams_ms ? now_ms - roams_ms : 1, now_ms, &travel))
		return;
	db_hint(roaming->db, write_word(&arena, device_id, roaming->self, &travel));
	arena_finish(&arena);
}

void roaming_init(struct roaming *roaming)
{
	roaming->self = cursors_name_worker(roaming->cursors);
	roaming->hints = (struct hint_subscription){.kind = STR("polled"), .on_hint = on_hint};
	db_subscribe(roaming->db, &roaming->hints);
}

void roaming_finish(struct roaming *roaming)
{
	db_unsubscribe(&roaming->hints);
}
