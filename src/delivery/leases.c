#include "leases.h"
#include "base/clock.h"
#include "base/limits.h"
#include "panel_views.h"
#include "view_hint.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Watches are asked for again within half of this time (view_subscriptions.c): those of a
	 * worker whose "unwatch" was lost end. */
	WATCH_MS = 11 * 60 * 1000,
	/* Panels that are checked in a turn. */
	BATCH = 64,
	AGAIN_MS = 5,
};

struct lease {
	struct map_node by_id;
	struct list to_notify;
	struct list watches; /* of struct watch */
	struct id id;
	struct panel_view_sent *notified; /* NULL: the panel is not here */
	bool is_own;			  /* pages of this worker watch */
	bool is_complete;		  /* everybody who watches has a watch here */
	bool is_asked;			  /* report what it shows, new or not */
};

/* Watch of another worker. */
struct watch {
	struct list of_lease;
	struct list of_peer;
	struct lease *lease;
	struct view_peer *peer;
	uint64_t asked_ms;
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

static void watch_free(struct leases *leases, struct watch *watch)
{
	list_remove(&watch->of_lease);
	list_remove(&watch->of_peer);
	watch->peer->watch_count--;
	leases->watch_count--;
	view_peers_need_less(leases->peers);
	free(watch);
}

static void drop_watches(struct leases *leases, struct lease *lease)
{
	while (!list_is_empty(&lease->watches))
		watch_free(leases, container_of(lease->watches.next, struct watch, of_lease));
}

static void lease_free(struct leases *leases, struct lease *lease)
{
	drop_watches(leases, lease);
	map_remove(&leases->by_id, &lease->by_id);
	list_remove(&lease->to_notify);
	free(lease->notified);
	free(lease);
}

/* ---- reports ---- */

static struct playback_clock clock_now(const struct leases *leases)
{
	return (struct playback_clock){.now_ms = (int64_t)loop_now_ms(leases->loop),
				       .wall_us = clock_wall_us()};
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
	*lease->notified =
	    (struct panel_view_sent){.shown = *shown, .now = view->now, .next = view->next};
	lease->notified->now.installation_id = lease->notified->next.installation_id =
	    (struct str){0};
}

/* Only those who hold a panel keep leases for others. */
static void leave(struct leases *leases, struct lease *lease)
{
	drop_watches(leases, lease);
	lease->is_complete = false;
	if (!lease->is_own)
		lease_free(leases, lease);
}

static void notify(struct leases *leases, struct lease *lease, const struct panel_view *view,
		   bool has_left)
{
	struct id device_id = lease->id;
	bool is_own = lease->is_own;
	struct arena arena = {0};

	if (!list_is_empty(&lease->watches)) {
		db_hint(leases->db, view_hint_write(&arena, device_id, leases->peers->self, view));
		arena_finish(&arena);
	}
	if (has_left)
		leave(leases, lease);
	/* Last, since the page may be closed: then the lease is gone. */
	if (is_own)
		leases->on_view(leases->context, device_id, view);
}

/* Sends nothing for a panel not connected here, except one offline report when it leaves. */
static void notify_if_new(struct leases *leases, struct lease *lease)
{
	struct playback_clock clock = clock_now(leases);
	struct panel *panel = panels_find(leases->panels, lease->id);
	bool was_polling = lease->notified && lease->notified->shown.connection == SHOWN_POLLING;
	bool is_asked = lease->is_asked;
	int64_t rank_us = 0;
	struct shown shown = panel_look(panel, clock, &rank_us);
	struct panel_view view;

	lease->is_asked = false;
	if (shown.connection == SHOWN_OFFLINE && !lease->notified)
		return;
	if (lease->notified && shown_is_same(&shown, &lease->notified->shown)) {
		if (!is_asked)
			return;
		shown.since_ms = lease->notified->shown.since_ms;
	}
	view = panel_view_of(lease->notified, panel, &shown, rank_us, clock);
	note_notified(lease, &shown, &view);
	/* A panel that polls reaches each worker again and again. */
	notify(leases, lease, &view, shown.connection == SHOWN_OFFLINE && !was_polling);
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
	/* A worker that watches the panel since it came would have a watch. */
	lease->is_complete = panel_is_here(panels_find(leases->panels, id));
	list_init(&lease->to_notify);
	list_init(&lease->watches);
	map_insert(&leases->by_id, &lease->by_id, id_view(&lease->id));
	return lease;
}

static void ask(struct leases *leases, struct lease *lease)
{
	lease->is_asked = true;
	notify_later(leases, lease);
}

void leases_ask(struct leases *leases, struct id device_id)
{
	struct lease *lease = lease_find(leases, device_id);

	if (!lease)
		lease = lease_new(leases, device_id);
	lease->is_own = true;
	ask(leases, lease);
}

static void free_if_unused(struct leases *leases, struct lease *lease)
{
	if (!lease->is_own && list_is_empty(&lease->watches))
		lease_free(leases, lease);
}

void leases_leave(struct leases *leases, struct id device_id)
{
	struct lease *lease = lease_find(leases, device_id);

	if (!lease)
		return;
	lease->is_own = false;
	free_if_unused(leases, lease);
}

static void end_watch(struct leases *leases, struct watch *watch)
{
	struct lease *lease = watch->lease;

	watch_free(leases, watch);
	free_if_unused(leases, lease);
}

void leases_forget(struct leases *leases, struct view_peer *peer)
{
	while (!list_is_empty(&peer->watches))
		end_watch(leases, container_of(peer->watches.next, struct watch, of_peer));
}

static void end_old_watches(struct leases *leases, struct view_peer *peer)
{
	uint64_t max_ms = peer->says_here ? WATCH_MS : PEER_GONE_MS;

	while (!list_is_empty(&peer->watches)) {
		struct watch *watch = container_of(peer->watches.next, struct watch, of_peer);

		if (loop_now_ms(leases->loop) - watch->asked_ms < max_ms)
			return;
		end_watch(leases, watch);
	}
}

void leases_look(struct leases *leases)
{
	const struct map_node *node = NULL;

	list_for_each (peer, &leases->peers->by_heard)
		end_old_watches(leases, container_of(peer, struct view_peer, by_heard));
	while ((node = map_next(&leases->by_id, node))) {
		struct lease *lease = container_of(node, struct lease, by_id);
		const struct panel *panel = panels_find(leases->panels, lease->id);

		if (lease->notified && lease->notified->shown.connection == SHOWN_POLLING &&
		    !panel_is_polling(panel))
			notify_later(leases, lease);
	}
}

/* ---- panels that come ---- */

/* Whether somebody may watch the panel. The table knows those whose watches have arrived here.
 * Until all have, the first word about a panel brings them, since who watches it asks again. */
static bool may_be_watched(const struct leases *leases, const struct panel *panel, uint64_t now_ms)
{
	if (now_ms - leases->up_ms <= WATCH_MS && panel->came_ms < leases->up_ms)
		return true;
	return watch_table_has(leases->watched, panel->id, now_ms);
}

void leases_come(struct leases *leases, struct panel *panel)
{
	uint64_t now_ms = loop_now_ms(leases->loop);
	struct arena arena = {0};
	struct lease *lease;

	if (!db_hints_are_up(leases->db) || !may_be_watched(leases, panel, now_ms))
		return;
	lease = lease_find(leases, panel->id);
	if (lease ? lease->is_complete : panel_is_here(panel))
		return;
	if (lease)
		lease->is_complete = true;
	panel->came_ms = now_ms;
	db_hint(leases->db, watch_hint_write(&arena, "came", panel->id, leases->peers->self));
	arena_finish(&arena);
}

/* ---- watches of others ---- */

static struct watch *watch_find(const struct lease *lease, const struct view_peer *peer)
{
	list_for_each (node, &lease->watches) {
		struct watch *watch = container_of(node, struct watch, of_lease);

		if (watch->peer == peer)
			return watch;
	}
	return NULL;
}

static struct watch *watch_new(struct leases *leases, struct lease *lease, struct view_peer *peer)
{
	struct watch *watch;

	if (leases->watch_count >= LIMIT_WATCHES || peer->watch_count >= LIMIT_VIEWS)
		return NULL;
	watch = memory_zalloc(sizeof(*watch));
	watch->lease = lease;
	watch->peer = peer;
	list_init(&watch->of_peer);
	list_append(&lease->watches, &watch->of_lease);
	peer->watch_count++;
	leases->watch_count++;
	view_peers_need(leases->peers);
	return watch;
}

static void take_watch(struct leases *leases, struct id device_id, struct view_peer *peer)
{
	struct lease *lease = lease_find(leases, device_id);
	struct watch *watch;

	if (!lease && !panel_is_here(panels_find(leases->panels, device_id)))
		return;
	if (!lease)
		lease = lease_new(leases, device_id);
	watch = watch_find(lease, peer) ?: watch_new(leases, lease, peer);
	if (!watch) {
		free_if_unused(leases, lease);
		return;
	}
	watch->asked_ms = loop_now_ms(leases->loop);
	list_remove(&watch->of_peer);
	list_append(&peer->watches, &watch->of_peer);
	ask(leases, lease);
}

static void on_watch(struct hint_subscription *hints, struct str text)
{
	struct leases *leases = container_of(hints, struct leases, watches);
	struct id device_id, sender;
	struct view_peer *peer;

	if (!watch_hint_read(text, &device_id, &sender) || id_equal(sender, leases->peers->self))
		return;
	watch_table_note(leases->watched, device_id, loop_now_ms(leases->loop) + WATCH_MS);
	peer = view_peers_hear(leases->peers, sender);
	if (peer)
		take_watch(leases, device_id, peer);
}

static void on_unwatch(struct hint_subscription *hints, struct str text)
{
	struct leases *leases = container_of(hints, struct leases, unwatches);
	struct id device_id, sender;
	struct view_peer *peer;
	struct watch *watch;
	struct lease *lease;

	if (!watch_hint_read(text, &device_id, &sender) || id_equal(sender, leases->peers->self))
		return;
	peer = view_peers_hear(leases->peers, sender);
	lease = lease_find(leases, device_id);
	watch = peer && lease ? watch_find(lease, peer) : NULL;
	if (watch)
		end_watch(leases, watch);
}

/* Words were lost: of others, and of this worker. */
static void on_up(struct hint_subscription *hints, bool up)
{
	struct leases *leases = container_of(hints, struct leases, watches);
	const struct map_node *node = NULL;
	struct arena arena = {0};

	if (!up)
		return;
	leases->up_ms = loop_now_ms(leases->loop);
	while ((node = map_next(&leases->by_id, node))) {
		struct lease *lease = container_of(node, struct lease, by_id);

		lease->is_complete = panel_is_here(panels_find(leases->panels, lease->id));
		ask(leases, lease);
	}
	if (leases->panels->by_id.count)
		db_hint(leases->db,
			watch_hint_write(&arena, "came", (struct id){0}, leases->peers->self));
	arena_finish(&arena);
}

void leases_init(struct leases *leases)
{
	list_init(&leases->to_notify);
	loop_later_init(&leases->notify, on_notify);
	deadline_init(&leases->notify_again, on_notify_again);
	leases->watches =
	    (struct hint_subscription){.kind = STR("watch"), .on_hint = on_watch, .on_up = on_up};
	leases->unwatches =
	    (struct hint_subscription){.kind = STR("unwatch"), .on_hint = on_unwatch};
	db_subscribe(leases->db, &leases->watches);
	db_subscribe(leases->db, &leases->unwatches);
}

void leases_finish(struct leases *leases)
{
	const struct map_node *node;

	db_unsubscribe(&leases->watches);
	db_unsubscribe(&leases->unwatches);
	loop_later_cancel(&leases->notify);
	deadline_clear(leases->loop, &leases->notify_again);
	while ((node = map_next(&leases->by_id, NULL)))
		lease_free(leases, container_of(node, struct lease, by_id));
	map_finish(&leases->by_id);
}
