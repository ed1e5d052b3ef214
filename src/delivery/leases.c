#include "leases.h"
#include "base/clock.h"
#include "base/limits.h"
#include "view_hint.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEASE_MS = 30 * 1000,
	/* Panels that are checked in a turn. */
	BATCH = 64,
	AGAIN_MS = 5,
	/* Time for which a polling panel counts as online after its next poll was due. */
	POLL_GRACE_MS = 60 * 1000,
};

/* Last report on a panel that is here. */
struct notified {
	struct shown shown;
	struct view_picture now, next; /* without their installations */
};

/* Lease of a view. Most leases of a worker are for panels that are elsewhere. */
struct lease {
	struct map_node by_id;
	struct list by_age;
	struct list to_notify;
	struct id id;
	uint64_t until_ms;	   /* end of this worker's own subscription */
	uint64_t other_until_ms;   /* end of the subscriptions of others */
	struct notified *notified; /* NULL: the panel is not here */
	bool is_asked;		   /* report what it shows, new or not */
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct lease *lease_find(const struct leases *leases, struct id id)
{
	struct map_node *node = map_find(&leases->by_id, id_view(&id));

	return node ? container_of(node, struct lease, by_id) : NULL;
}

static void lease_free(struct leases *leases, struct lease *lease)
{
	map_remove(&leases->by_id, &lease->by_id);
	list_remove(&lease->by_age);
	list_remove(&lease->to_notify);
	free(lease->notified);
	free(lease);
}

/* ---- what a panel shows ---- */

static struct playback_clock clock_now(const struct leases *leases)
{
	return (struct playback_clock){.now_ms = (int64_t)loop_now_ms(leases->loop),
				       .wall_us = clock_wall_us()};
}

/* Returns what the newest connection shows, else the last poll. *ret_rank_us: when that connection
 * or poll began. */
static struct shown look(const struct leases *leases, struct panel *panel,
			 struct playback_clock clock, int64_t *ret_rank_us)
{
	struct poll_cursor cursor;
	const struct shown_poll *poll;
	const struct content *content;
	struct content room;

	if (!panel || panel->state != PANEL_READY)
		return (struct shown){0};
	content = panel_shown(panel, clock.wall_us, &room);
	if (!list_is_empty(&panel->connections)) {
		const struct panel_connection *connection =
		    container_of(panel->connections.previous, struct panel_connection, node);

		*ret_rank_us = connection->connected_us;
		return shown_of_playback(&connection->playback, content, clock);
	}
	poll = panel->polled;
	/* The panel may have polled at another worker since, which knows more. */
	if (!poll || clock.now_ms > poll->at_ms + poll->dwell_s * 1000 + POLL_GRACE_MS ||
	    !cursor_was_set_here(leases->cursors, panel->id))
		return (struct shown){0};
	*ret_rank_us = poll->at_us;
	cursor = cursor_get(leases->cursors, panel->id);
	return shown_of_poll(poll, &cursor, content, clock);
}

static bool is_same_item(const struct playback_item *a, const struct playback_item *b)
{
	return playback_item_is_same(a, b) && a->picture_generation == b->picture_generation;
}

/* The bytes of a replaced or dropped picture are gone, but its hash is known if it was reported
 * before. */
static void name_picture(struct view_picture *picture, struct panel *panel,
			 const struct playback_item *item, const struct notified *notified)
{
	struct playback_item there;
	const struct panel *of = panel_of_item(panel, item, &there);
	const struct content_installation *installation = content_at(&of->content, there.position);

	if (installation)
		picture->installation_id = installation->id;
	picture->has_hash = panel_picture_hash(panel, item, picture->hash);
	picture->filter = item->look.filter;
	if (picture->has_hash || !notified)
		return;
	if (is_same_item(item, &notified->shown.item))
		memcpy(picture, &notified->now, offsetof(struct view_picture, installation_id));
	else if (is_same_item(item, &notified->shown.next))
		memcpy(picture, &notified->next, offsetof(struct view_picture, installation_id));
}

static int64_t wall_us_of(int64_t ms, struct playback_clock clock)
{
	return clock.wall_us + (ms - clock.now_ms) * 1000;
}

static struct panel_view view_of(const struct notified *notified, struct panel *panel,
				 const struct shown *shown, int64_t rank_us,
				 struct playback_clock clock)
{
	struct panel_view view = {
	    .connection = shown->connection,
	    .is_acknowledged = shown->is_acknowledged,
	    .brightness = shown->brightness,
	    .rank_us = rank_us,
	};

	if (shown->connection == SHOWN_OFFLINE)
		return view;
	if (shown->kind != SHOWN_UNKNOWN)
		view.since_us = wall_us_of(shown->since_ms, clock);
	if (shown->until_ms && shown->kind != SHOWN_UNKNOWN)
		view.until_us = wall_us_of(shown->until_ms, clock);
	name_picture(&view.now, panel, &shown->item, notified);
	name_picture(&view.next, panel, &shown->next, notified);
	view.now.kind = shown->kind;
	view.next.kind = shown->next_kind;
	return view;
}

/* ---- reports ---- */

static void notify(struct leases *leases, struct lease *lease, const struct panel_view *view)
{
	uint64_t now_ms = loop_now_ms(leases->loop);
	struct arena arena = {0};

	if (lease->other_until_ms > now_ms) {
		db_hint(leases->db, view_hint_write(&arena, lease->id, leases->self, view));
		arena_finish(&arena);
	}
	if (lease->until_ms > now_ms)
		leases->on_view(leases->context, lease->id, view);
}

static void note_notified(struct lease *lease, const struct shown *shown,
			  const struct panel_view *view)
{
	if (shown->connection == SHOWN_OFFLINE) {
		free(lease->notified);
		lease->notified = NULL;
		return;
	}
	if (!lease->notified)
		lease->notified = memory_zalloc(sizeof(*lease->notified));
	*lease->notified = (struct notified){.shown = *shown, .now = view->now, .next = view->next};
	lease->notified->now.installation_id = lease->notified->next.installation_id =
	    (struct str){0};
}

/* Sends nothing for a panel not connected here, except one offline report when it leaves. */
static void notify_if_new(struct leases *leases, struct lease *lease)
{
	struct playback_clock clock = clock_now(leases);
	struct panel *panel = panels_find(leases->panels, lease->id);
	bool is_asked = lease->is_asked;
	int64_t rank_us = 0;
	struct shown shown = look(leases, panel, clock, &rank_us);
	struct panel_view view;

	lease->is_asked = false;
	if (shown.connection == SHOWN_OFFLINE && !lease->notified)
		return;
	if (lease->notified && shown_is_same(&shown, &lease->notified->shown)) {
		if (!is_asked)
			return;
		shown.since_ms = lease->notified->shown.since_ms;
	}
	view = view_of(lease->notified, panel, &shown, rank_us, clock);
	note_notified(lease, &shown, &view);
	notify(leases, lease, &view);
}

static void on_notify(struct later *later)
{
	struct leases *leases = container_of(later, struct leases, notify);
	struct list *node;

	for (unsigned i = 0; i < BATCH && !list_is_empty(&leases->to_notify); i++) {
		/* Hints of changes share the room with these. While the database is unavailable,
		 * this worker's own pages still get reports. */
		if (db_hints_are_up(leases->db) &&
		    db_hint_room(leases->db) < LIMIT_HINT_BYTES / 2) {
			deadline_set(leases->loop, &leases->notify_again, AGAIN_MS);
			return;
		}
		node = list_take_first(&leases->to_notify);
		notify_if_new(leases, container_of(node, struct lease, to_notify));
	}
	if (!list_is_empty(&leases->to_notify))
		loop_later(leases->loop, &leases->notify);
}

static void on_notify_again(struct deadline *deadline)
{
	struct leases *leases = container_of(deadline, struct leases, notify_again);

	loop_later(leases->loop, &leases->notify);
}

static void notify_later(struct leases *leases, struct lease *lease)
{
	if (!list_is_linked(&lease->to_notify))
		list_append(&leases->to_notify, &lease->to_notify);
	if (!deadline_is_set(&leases->notify_again))
		loop_later(leases->loop, &leases->notify);
}

void leases_changed(struct leases *leases, struct id device_id)
{
	struct lease *lease = leases->by_id.count ? lease_find(leases, device_id) : NULL;

	if (lease)
		notify_later(leases, lease);
}

/* ---- leases ---- */

static struct lease *lease_new(struct leases *leases, struct id id)
{
	struct lease *lease = memory_zalloc(sizeof(*lease));

	lease->id = id;
	list_init(&lease->by_age);
	list_init(&lease->to_notify);
	map_insert(&leases->by_id, &lease->by_id, id_view(&lease->id));
	if (!deadline_is_set(&leases->expire))
		deadline_set(leases->loop, &leases->expire, LEASE_MS);
	return lease;
}

void leases_ask(struct leases *leases, struct id device_id, bool is_other)
{
	uint64_t until_ms = loop_now_ms(leases->loop) + LEASE_MS;
	struct lease *lease = lease_find(leases, device_id);

	if (!lease && leases->by_id.count >= LIMIT_LEASES)
		return;
	if (!lease)
		lease = lease_new(leases, device_id);
	*(is_other ? &lease->other_until_ms : &lease->until_ms) = until_ms;
	list_remove(&lease->by_age);
	list_append(&leases->by_age, &lease->by_age);
	lease->is_asked = true;
	notify_later(leases, lease);
}

static void on_expire(struct deadline *deadline)
{
	struct leases *leases = container_of(deadline, struct leases, expire);
	uint64_t now_ms = loop_now_ms(leases->loop);

	while (!list_is_empty(&leases->by_age)) {
		struct lease *lease = container_of(leases->by_age.next, struct lease, by_age);
		uint64_t until_ms = lease->until_ms > lease->other_until_ms ? lease->until_ms
									    : lease->other_until_ms;

		if (until_ms > now_ms) {
			deadline_set_at(leases->loop, deadline, until_ms);
			return;
		}
		lease_free(leases, lease);
	}
}

void leases_init(struct leases *leases)
{
	leases->self = cursors_name_worker(leases->cursors);
	list_init(&leases->by_age);
	list_init(&leases->to_notify);
	loop_later_init(&leases->notify, on_notify);
	deadline_init(&leases->notify_again, on_notify_again);
	deadline_init(&leases->expire, on_expire);
}

void leases_finish(struct leases *leases)
{
	loop_later_cancel(&leases->notify);
	deadline_clear(leases->loop, &leases->notify_again);
	deadline_clear(leases->loop, &leases->expire);
	while (!list_is_empty(&leases->by_age))
		lease_free(leases, container_of(leases->by_age.next, struct lease, by_age));
	map_finish(&leases->by_id);
}
