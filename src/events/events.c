#include "events/events.h"
#include "base/hex.h"
#include "base/limits.h"
#include "events/unavailable_watch.h"
#include "failures.h"
#include "happenings.h"
#include "key_checks.h"
#include "key_slots.h"
#include "key_stream.h"
#include "metric/metric.h"

#include <stdlib.h>

enum {
	SHOW_MS = 1000,
	/* Time before a client reconnects. Browsers differ; a restart takes about a second. */
	RETRY_MS = 2000,
};

struct events {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct stream_shares shares; /* of struct key_stream, by its member */
	struct key_slots slots;
	struct listeners listeners;
	struct happenings happenings;
	struct failures failures;
	struct key_checks checks;
	struct unavailable_watch unavailable;
	bool is_paused;	      /* the database is unavailable, or the keys were not checked since */
	struct deadline show; /* marks this worker's slots as live, while it has streams */
	struct list
	    to_follow; /* of struct key_stream: one a turn, since each has up to 1,000 devices */
	struct later follow;
	struct hint_subscription ups; /* for on_up() only, of no hint */
};

static struct key_stream *of_node(struct list *node)
{
	return container_of(node, struct key_stream, member.node);
}

/* ---- beginning and end of a stream ---- */

static void leave(struct key_stream *stream)
{
	struct events *events = stream->events;

	list_remove(&stream->to_check);
	list_remove(&stream->to_follow);
	stream_shares_leave(&events->shares, &stream->member);
	key_slots_give_back(&events->slots, stream->slot);
	listeners_leave(&events->listeners, stream->listener);
	metric_set(METRIC_EVENT_STREAMS, 0, events->shares.count);
	key_stream_finish(stream);
	free(stream);
}

static enum event_refusal join(struct events *events, const struct event_wish *wish,
			       struct key_stream *stream)
{
	stream->slot = key_slots_take(&events->slots, wish->key_hash);
	if (stream->slot == KEY_SLOT_NONE)
		return EVENTS_FULL_OF_KEY;
	stream->listener = listeners_join(&events->listeners, wish->account_id);
	if (stream->listener)
		return EVENTS_NOT_REFUSED;
	key_slots_give_back(&events->slots, stream->slot);
	return EVENTS_FULL;
}

enum event_refusal events_open(struct events *events, const struct event_wish *wish,
			       struct key_stream **ret_stream)
{
	struct key_stream *stream;
	enum event_refusal refusal;

	if (stream_shares_are_full(&events->shares))
		return EVENTS_FULL;
	if (!stream_shares_have_room(&events->shares, wish->account_id))
		return EVENTS_FULL_OF_ACCOUNT;
	if (events->shares.count == 0)
		events->is_paused = events->unavailable.is_unavailable;
	stream = memory_zalloc(sizeof(*stream));
	refusal = join(events, wish, stream);
	if (refusal) {
		free(stream);
		return refusal;
	}
	stream->events = events;
	stream->account_id = wish->account_id;
	stream->is_all = wish->is_all;
	stream->is_paused = events->is_paused;
	stream->views.delivery = events->delivery;
	key_stream_init(stream, events->loop, wish);
	stream_shares_join(&events->shares, &stream->member, wish->account_id);
	metric_set(METRIC_EVENT_STREAMS, 0, events->shares.count);
	if (!key_stream_subscribe(stream, wish->ids, wish->count)) {
		leave(stream);
		return EVENTS_FULL_OF_DEVICES;
	}
	/* The key may have changed since it was read, and its hint may have arrived already. */
	key_checks_add(&events->checks, stream);
	if (!deadline_is_set(&events->show))
		deadline_set(events->loop, &events->show, SHOW_MS);
	*ret_stream = stream;
	return EVENTS_NOT_REFUSED;
}

struct http_stream **events_http_stream(struct key_stream *stream)
{
	return &stream->stream.http;
}

static void begin_or_proceed(struct http_stream *http, void *owner)
{
	struct key_stream *stream = owner;

	(void)http;
	if (!stream->has_begun)
		event_stream_write_retry(&stream->stream, RETRY_MS);
	if (!stream->has_begun && stream->is_paused)
		event_stream_write(&stream->stream, "away", STR("{}"));
	stream->has_begun = true;
	key_stream_proceed(stream);
}

static void on_stopped(struct http_stream *http, void *owner)
{
	(void)http;
	leave(owner);
}

const struct http_stream_source key_stream_source = {
    .proceed = begin_or_proceed,
    .stop = on_stopped,
    .is_endless = true,
};

static void on_key_ended(struct key_stream *stream)
{
	struct http_stream *http = stream->stream.http;

	event_stream_write(&stream->stream, "bye", STR("{}"));
	leave(stream);
	http_stream_end(http);
}

/* ---- incoming events ---- */

static void on_event(void *context, struct listener *listener)
{
	struct events *events = context;
	struct list *streams = stream_shares_find(&events->shares, listener->account_id);

	if (!streams)
		return;
	list_for_each (node, streams)
		key_stream_proceed(container_of(node, struct key_stream, member.of_account));
}

/* Devices of the account were added or removed. */
static void follow_devices(struct key_stream *stream)
{
	struct events *events = stream->events;
	const struct listener *listener = stream->listener;
	struct arena arena = {0};
	struct id *ids = arena_alloc(&arena, (listener->device_count + 1) * sizeof(*ids));

	list_for_each (node, &stream->views.all) {
		struct event_view *view = container_of(node, struct event_view, node);
		struct id id = delivery_view_id(&view->subscriber);

		if (listeners_of_device(&events->listeners, id) != listener)
			event_views_remove(view);
	}
	listeners_copy_devices(listener, ids);
	/* Without room for a new device, its state is missing until the stream is opened again. */
	if (!key_stream_subscribe(stream, ids, listener->device_count))
		stream->owes_reset = true;
	arena_finish(&arena);
	key_stream_proceed(stream);
}

static void on_follow(struct later *later)
{
	struct events *events = container_of(later, struct events, follow);
	struct list *node = list_take_first(&events->to_follow);

	if (node)
		follow_devices(container_of(node, struct key_stream, to_follow));
	if (!list_is_empty(&events->to_follow))
		loop_later(events->loop, &events->follow);
}

static void on_devices(void *context, struct listener *listener)
{
	struct events *events = context;
	struct list *streams = stream_shares_find(&events->shares, listener->account_id);

	if (!streams)
		return;
	list_for_each (node, streams) {
		struct key_stream *stream =
		    container_of(node, struct key_stream, member.of_account);

		if (stream->is_all && !list_is_linked(&stream->to_follow))
			list_append(&events->to_follow, &stream->to_follow);
	}
	if (!list_is_empty(&events->to_follow))
		loop_later(events->loop, &events->follow);
}

static void on_account(void *context, struct id account_id)
{
	struct events *events = context;
	struct list *streams = stream_shares_find(&events->shares, account_id);

	if (!streams)
		return;
	list_for_each (node, streams)
		key_checks_add(&events->checks,
			       container_of(node, struct key_stream, member.of_account));
}

static void on_ready(void *context)
{
	happenings_take_waiting(&((struct events *)context)->happenings);
}

/* ---- the database ---- */

static void resume(struct events *events)
{
	events->is_paused = false;
	list_for_each (node, &events->shares.all)
		key_stream_resume(of_node(node));
}

static void on_checked(struct key_checks *checks)
{
	struct events *events = container_of(checks, struct events, checks);

	if (events->is_paused && !events->unavailable.is_unavailable)
		resume(events);
}

static void on_unavailable(struct unavailable_watch *unavailable, bool is_unavailable)
{
	struct events *events = container_of(unavailable, struct events, unavailable);

	if (is_unavailable) {
		events->is_paused = true;
		list_for_each (node, &events->shares.all)
			key_stream_pause(of_node(node));
	} else if (events->shares.count == 0) {
		events->is_paused = false;
	} else {
		key_checks_add_all(&events->checks); /* on_checked() will be called */
	}
}

static void on_up(struct hint_subscription *hints, bool up)
{
	unavailable_watch_on_up(&container_of(hints, struct events, ups)->unavailable, up);
}

static void on_no_hint(struct hint_subscription *hints, struct str text)
{
	(void)hints;
	(void)text;
}

static void on_show(struct deadline *deadline)
{
	struct events *events = container_of(deadline, struct events, show);

	key_slots_show(&events->slots);
	if (events->shares.count)
		deadline_set(events->loop, deadline, SHOW_MS);
}

/* ---- public functions ---- */

bool events_listen(struct events *events, struct id account_id, struct event_wait *wait)
{
	return listeners_listen(&events->listeners, account_id, wait);
}

void events_pushed(struct events *events, struct id account_id, struct id device_id,
		   int64_t generation, struct str installation_id)
{
	struct listener *listener = events ? listeners_find(&events->listeners, account_id) : NULL;

	if (listener)
		listeners_tell(&events->listeners, listener,
			       &(struct event_hint){
				   .account_id = account_id,
				   .kind = EVENT_PUSHED,
				   .device_id = device_id,
				   .generation = generation,
				   .installation_id = installation_id,
			       });
}

void events_failed(struct events *events, const uint8_t render_key[static RENDER_KEY_BYTES],
		   int64_t generation, struct id app_id, struct str message)
{
	failures_note(&events->failures, render_key, generation, app_id, message);
}

unsigned events_count_of_key(const struct events *events,
			     const uint8_t key_hash[static KEY_HASH_BYTES])
{
	return key_slots_count(&events->slots, key_hash);
}

bool event_id_read(struct str text, uint8_t ret_id[static EVENT_ID_BYTES])
{
	return hex_decode(text, ret_id, EVENT_ID_BYTES);
}

/* ---- all ---- */

static void init_modules(struct events *events)
{
	events->listeners = (struct listeners){
	    .loop = events->loop,
	    .db = events->db,
	    .on_event = on_event,
	    .on_devices = on_devices,
	    .on_ready = on_ready,
	    .on_account = on_account,
	    .context = events,
	};
	listeners_init(&events->listeners);
	events->happenings = (struct happenings){.db = events->db, .listeners = &events->listeners};
	happenings_init(&events->happenings);
	events->failures = (struct failures){.db = events->db, .listeners = &events->listeners};
	events->checks = (struct key_checks){
	    .loop = events->loop,
	    .db = events->db,
	    .all = &events->shares.all,
	    .on_ended = on_key_ended,
	    .on_checked = on_checked,
	};
	key_checks_init(&events->checks);
	events->unavailable = (struct unavailable_watch){
	    .loop = events->loop, .db = events->db, .on_change = on_unavailable};
	unavailable_watch_init(&events->unavailable);
}

struct events *events_create(const struct events_settings *settings)
{
	struct events *events = memory_zalloc(sizeof(*events));

	events->loop = settings->loop;
	events->db = settings->db;
	events->delivery = settings->delivery;
	events->is_paused = true;
	events->shares = (struct stream_shares){.max = LIMIT_EVENT_STREAMS,
						.account_max = LIMIT_EVENT_STREAMS_OF_ACCOUNT};
	stream_shares_init(&events->shares);
	key_slots_init(&events->slots, settings->shared, settings->worker, settings->workers);
	deadline_init(&events->show, on_show);
	list_init(&events->to_follow);
	loop_later_init(&events->follow, on_follow);
	init_modules(events);
	/* Subscribe after the modules: rings are emptied before streams are notified. */
	events->ups = (struct hint_subscription){
	    .kind = STR("events"), .on_hint = on_no_hint, .on_up = on_up};
	db_subscribe(events->db, &events->ups);
	return events;
}

void events_drain(struct events *events)
{
	unavailable_watch_drain(&events->unavailable);
	key_checks_drain(&events->checks);
	listeners_drain(&events->listeners);
	deadline_clear(events->loop, &events->show);
}

void events_destroy(struct events *events)
{
	stream_shares_finish(&events->shares);
	deadline_clear(events->loop, &events->show);
	loop_later_cancel(&events->follow);
	db_unsubscribe(&events->ups);
	key_checks_finish(&events->checks);
	happenings_finish(&events->happenings);
	listeners_finish(&events->listeners);
	free(events);
}
