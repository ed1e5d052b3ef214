#include "key_stream.h"
#include "base/clock.h"
#include "base/hex.h"
#include "base/limits.h"
#include "record/record.h"

#include <sodium.h>
#include <stdlib.h>

/* ---- state of panels ---- */

struct online_event {
	struct id device_id;
	bool is_online;
	int64_t last_online_us;
};

static const struct record_field online_fields[] = {
    RECORD_ID(struct online_event, device_id, .name = "deviceId"),
    RECORD_BOOL(struct online_event, is_online, .name = "isOnline"),
    RECORD_TIMESTAMP(struct online_event, last_online_us, .name = "lastOnline"),
};
static const struct record online_record = RECORD(struct online_event, online_fields);

struct shown_event {
	struct id device_id;
	struct str kind;
	struct str installation_id; /* data is NULL: none; also below */
	struct str picture;
	int64_t brightness; /* percent; 0: dark or offline */
	int64_t since_us;
	int64_t until_us;
};

static const struct record_field shown_fields[] = {
    RECORD_ID(struct shown_event, device_id, .name = "deviceId"),
    RECORD_STR(struct shown_event, kind, .name = "kind"),
    RECORD_STR(struct shown_event, installation_id, .name = "installationId", .nullable = true),
    RECORD_STR(struct shown_event, picture, .name = "picture", .nullable = true),
    RECORD_INT(struct shown_event, brightness, .name = "brightness"),
    RECORD_TIMESTAMP(struct shown_event, since_us, .name = "since", .nullable = true),
    RECORD_TIMESTAMP(struct shown_event, until_us, .name = "until", .nullable = true),
};
static const struct record shown_record = RECORD(struct shown_event, shown_fields);

static void write_record(struct key_stream *stream, const char *name, const struct record *record,
			 const void *event)
{
	struct buffer json = {0};

	record_write_json(record, event, &json);
	event_stream_write(&stream->stream, name, buffer_view(&json));
	buffer_finish(&json);
}

static void write_online(struct key_stream *stream, struct event_view *view,
			 const struct panel_view *known)
{
	bool is_online = known->connection != SHOWN_OFFLINE;
	int64_t last_online_us = is_online ? 0 : known->last_online_us;

	if (view->was_written && view->was_online == is_online &&
	    view->written_last_online_us == last_online_us)
		return;
	view->was_online = is_online;
	view->written_last_online_us = last_online_us;
	write_record(stream, "online", &online_record,
		     &(struct online_event){
			 .device_id = delivery_view_id(&view->subscriber),
			 .is_online = is_online,
			 .last_online_us = is_online ? clock_common_us() : last_online_us,
		     });
}

static void write_shown(struct key_stream *stream, struct event_view *view,
			const struct panel_view *known)
{
	char hash[VIEW_PICTURE_TEXT_BYTES];
	struct shown_event event = {
	    .device_id = delivery_view_id(&view->subscriber),
	    .kind = shown_kind_name(known->now.kind),
	    .installation_id = known->now.installation_id,
	    .picture = view_picture_text(&known->now, hash),
	    .brightness = known->connection == SHOWN_OFFLINE ? 0 : known->brightness,
	};
	uint8_t written[sizeof(view->written)];
	struct buffer json = {0};

	/* Times are left out, since they jitter. */
	record_write_json(&shown_record, &event, &json);
	crypto_generichash(written, sizeof(written), (const uint8_t *)buffer_view(&json).data,
			   buffer_length(&json), NULL, 0);
	buffer_finish(&json);
	if (view->was_written && memcmp(written, view->written, sizeof(written)) == 0 &&
	    delivery_is_same_time(view->written_since_us, known->since_us) &&
	    delivery_is_same_time(view->written_until_us, known->until_us))
		return;
	memcpy(view->written, written, sizeof(written));
	event.since_us = view->written_since_us = known->since_us;
	event.until_us = view->written_until_us = known->until_us;
	write_record(stream, "shown", &shown_record, &event);
}

static void write_views(struct key_stream *stream)
{
	struct event_view *view;

	while (!event_stream_is_full(&stream->stream) &&
	       (view = event_views_take(&stream->views))) {
		const struct panel_view *known = delivery_view(&view->subscriber);

		write_online(stream, view, known);
		write_shown(stream, view, known);
		view->was_written = true;
	}
}

/* ---- events of the ring ---- */

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, ID_BYTES);
}

static bool hears(const struct key_stream *stream, struct id device_id)
{
	return stream->is_all || (stream->count && bsearch(&device_id, stream->ids, stream->count,
							   sizeof(device_id), compare_ids));
}

static void write_kept(struct key_stream *stream, const struct ring_event *event)
{
	char id[EVENT_ID_LENGTH + 1];

	hex_encode(event->id, EVENT_ID_BYTES, id);
	event_stream_write_kept(&stream->stream, event->name, str_from(id),
				(struct str){event->data, event->length});
}

static void write_events(struct key_stream *stream)
{
	const struct ring *ring = &stream->listener->ring;
	const struct ring_event *event;

	if (stream->next < ring->first) {
		stream->owes_reset = true;
		stream->next = ring_next(ring);
	}
	if (stream->owes_reset && !event_stream_is_full(&stream->stream)) {
		event_stream_write(&stream->stream, "reset", STR("{}"));
		stream->owes_reset = false;
	}
	while (!event_stream_is_full(&stream->stream) && (event = ring_at(ring, stream->next))) {
		stream->next++;
		if (hears(stream, event->device_id))
			write_kept(stream, event);
	}
}

void key_stream_proceed(struct key_stream *stream)
{
	if (!stream->has_begun || stream->is_paused)
		return;
	write_events(stream);
	write_views(stream);
}

void key_stream_pause(struct key_stream *stream)
{
	if (stream->has_begun && !stream->is_paused)
		event_stream_write(&stream->stream, "away", STR("{}"));
	stream->is_paused = true;
}

void key_stream_resume(struct key_stream *stream)
{
	if (!stream->is_paused)
		return;
	stream->is_paused = false;
	event_views_repeat(&stream->views);
	if (!stream->has_begun)
		return;
	event_stream_write(&stream->stream, "back", STR("{}"));
	key_stream_proceed(stream);
}

/* ---- beginning and end ---- */

static void on_view(struct event_views *views)
{
	key_stream_proceed(container_of(views, struct key_stream, views));
}

static void begin_at(struct key_stream *stream, const uint8_t *last_id)
{
	const struct ring *ring = &stream->listener->ring;
	uint64_t number;

	stream->next = ring_next(ring);
	if (!last_id)
		return;
	if (ring_find(ring, last_id, &number))
		stream->next = number + 1;
	else
		stream->owes_reset = true;
}

static void copy_scope(struct key_stream *stream, const struct key_scope *scope)
{
	char *devices = NULL;

	if (scope->devices.length) {
		devices = memory_alloc(scope->devices.length);
		memcpy(devices, scope->devices.data, scope->devices.length);
	}
	stream->scope = *scope;
	stream->scope.devices.data = devices;
}

void key_stream_init(struct key_stream *stream, struct loop *loop, const struct event_wish *wish)
{
	list_init(&stream->to_check);
	list_init(&stream->to_follow);
	event_stream_init(&stream->stream, loop);
	stream->views.on_view = on_view;
	event_views_init(&stream->views);
	memcpy(stream->key_hash, wish->key_hash, KEY_HASH_BYTES);
	stream->has_no_key = wish->has_no_key;
	copy_scope(stream, wish->scope);
	begin_at(stream, wish->last_id);
	if (stream->is_all)
		return;
	stream->count = wish->count;
	stream->ids = memory_zalloc(wish->count * sizeof(stream->ids[0]));
	memcpy(stream->ids, wish->ids, wish->count * sizeof(stream->ids[0]));
	qsort(stream->ids, stream->count, sizeof(stream->ids[0]), compare_ids);
}

/* Returns the IDs, sorted, in the arena; *ret_count: their number. */
static const struct id *watched_ids(const struct key_stream *stream, struct arena *arena,
				    unsigned *ret_count)
{
	unsigned count = 0;
	struct id *ids;

	list_for_each (node, &stream->views.all)
		count++;
	ids = arena_alloc(arena, (count + 1) * sizeof(*ids));
	*ret_count = 0;
	list_for_each (node, &stream->views.all) {
		const struct event_view *view = container_of(node, struct event_view, node);

		ids[(*ret_count)++] = delivery_view_id(&view->subscriber);
	}
	qsort(ids, count, sizeof(*ids), compare_ids);
	return ids;
}

bool key_stream_subscribe(struct key_stream *stream, const struct id *ids, unsigned count)
{
	struct arena arena = {0};
	unsigned watched_count;
	const struct id *watched = watched_ids(stream, &arena, &watched_count);
	bool has_room = true;

	for (unsigned i = 0; i < count && i < LIMIT_EVENT_ALL_DEVICES && has_room; i++) {
		if (!bsearch(&ids[i], watched, watched_count, sizeof(*watched), compare_ids))
			has_room = event_views_add(&stream->views, ids[i], stream->account_id);
	}
	arena_finish(&arena);
	return has_room;
}

void key_stream_finish(struct key_stream *stream)
{
	event_views_finish(&stream->views);
	event_stream_finish(&stream->stream);
	free((void *)stream->scope.devices.data);
	free(stream->ids);
}
