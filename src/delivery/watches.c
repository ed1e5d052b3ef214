#include "watches.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/require.h"
#include "change_hint.h"
#include "db/statements.h"
#include "view_hint.h"

#include <stdlib.h>

enum {
	RENEW_MS = 12 * 1000,
	ANSWER_MS = 1500,
	/* Watches are asked for again over so long when hints can come again. */
	SPREAD_MS = 500,
	NO_ROOM_MS = 50,
	LOOK_UP_BATCH = 200,
};

struct watch {
	struct map_node by_id;
	struct watches *watches;
	struct id id;
	struct list watchers; /* of struct watcher */
	struct list to_look_up;
	struct memory_share *share;
	struct deadline next; /* the answer is late, or the watch is to be renewed */
	bool was_sent;	      /* a hint asks, and the answer is waited for */
	bool is_asked;	      /* the holder has not answered since */
	bool is_lost;	      /* the holder has left, or does not answer: whoever does is it */
	bool is_known;
	struct id holder; /* who told the view */
	struct panel_view view;
	char *texts; /* the installations of the view */
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct watch *watch_find(const struct watches *watches, struct id id)
{
	struct map_node *node =
	    watches->by_id.count ? map_find(&watches->by_id, id_view(&id)) : NULL;

	return node ? container_of(node, struct watch, by_id) : NULL;
}

/* ---- asking ---- */

static void ask(struct watch *watch)
{
	struct watches *watches = watch->watches;
	struct arena arena = {0};
	struct str word;

	/* Ask this worker's own panel, which answers within this turn, whatever the database
	 * does. */
	leases_ask(watches->leases, watch->id, /* is_other= */ false);
	watch->is_asked = true;
	if (!db_hints_are_up(watches->db)) {
		deadline_set(watches->loop, &watch->next, RENEW_MS);
		return; /* on_up() comes */
	}
	if (db_hint_room(watches->db) < LIMIT_HINT_BYTES / 2) {
		deadline_set(watches->loop, &watch->next, NO_ROOM_MS);
		return;
	}
	word = watch_hint_write(&arena, watch->id, watches->leases->self);
	db_hint(watches->db, word);
	arena_finish(&arena);
	watch->was_sent = true;
	deadline_set(watches->loop, &watch->next, ANSWER_MS);
}

static void on_next(struct deadline *deadline)
{
	struct watch *watch = container_of(deadline, struct watch, next);
	struct watches *watches = watch->watches;

	if (!watch->was_sent) {
		ask(watch);
		return;
	}
	watch->was_sent = false;
	deadline_set(watches->loop, deadline, RENEW_MS - ANSWER_MS);
	if (!watch->is_asked || !db_hints_are_up(watches->db))
		return;
	if (!watch->is_lost) {
		watch->is_lost = true;
		ask(watch);
		return;
	}
	if (!list_is_linked(&watch->to_look_up))
		list_append(&watches->to_look_up, &watch->to_look_up);
	loop_later(watches->loop, &watches->look_up);
}

/* ---- what is known ---- */

static void tell_watchers(struct watch *watch)
{
	list_for_each (node, &watch->watchers) {
		struct watcher *watcher = container_of(node, struct watcher, node);

		watcher->on_view(watcher);
	}
}

struct str view_picture_text(const struct view_picture *picture,
			     char text[static 2 * PICTURE_HASH_BYTES + 1])
{
	if (!picture->has_hash)
		return (struct str){0};
	hex_encode(picture->hash, PICTURE_HASH_BYTES, text);
	return (struct str){text, 2 * PICTURE_HASH_BYTES};
}

static bool is_same_picture(const struct view_picture *a, const struct view_picture *b)
{
	return a->kind == b->kind && a->has_hash == b->has_hash &&
	       (!a->has_hash || memcmp(a->hash, b->hash, PICTURE_HASH_BYTES) == 0) &&
	       str_equal(a->installation_id, b->installation_id);
}

bool delivery_is_same_time(int64_t a_us, int64_t b_us)
{
	enum { JITTER_US = 50 * 1000 };

	return (a_us == 0) == (b_us == 0) && a_us - b_us < JITTER_US && b_us - a_us < JITTER_US;
}

static bool is_same(const struct panel_view *a, const struct panel_view *b)
{
	return a->connection == b->connection && a->is_acknowledged == b->is_acknowledged &&
	       a->brightness == b->brightness && is_same_picture(&a->now, &b->now) &&
	       is_same_picture(&a->next, &b->next) &&
	       delivery_is_same_time(a->since_us, b->since_us) &&
	       delivery_is_same_time(a->until_us, b->until_us) &&
	       a->last_online_us == b->last_online_us;
}

/* Appends the text at *end, and lets it point there. */
static void move_text(struct str *text, char **end)
{
	if (text->length == 0 || !*end) {
		*text = (struct str){0};
		return;
	}
	memcpy(*end, text->data, text->length);
	text->data = *end;
	*end += text->length;
}

static void know(struct watch *watch, const struct panel_view *view)
{
	size_t size = view->now.installation_id.length + view->next.installation_id.length;
	char *texts, *end;

	if (watch->is_known && is_same(&watch->view, view)) {
		watch->view.rank_us = view->rank_us;
		return;
	}
	texts = end = size ? memory_alloc(size) : NULL;
	watch->view = *view;
	move_text(&watch->view.now.installation_id, &end);
	move_text(&watch->view.next.installation_id, &end);
	free(watch->texts);
	watch->texts = texts;
	watch->is_known = true;
	tell_watchers(watch);
}

static bool is_preferred(const struct panel_view *view, const struct panel_view *other)
{
	if (view->connection != other->connection)
		return view->connection == SHOWN_WEB_SOCKET || other->connection == SHOWN_OFFLINE;
	return view->rank_us >= other->rank_us;
}

void watches_take(struct watches *watches, struct id device_id, struct id sender,
		  const struct panel_view *view)
{
	struct watch *watch = watch_find(watches, device_id);
	bool is_holder;

	if (!watch)
		return;
	is_holder = watch->is_known && id_equal(watch->holder, sender);
	if (view->connection == SHOWN_OFFLINE) {
		/* The panel has left that worker. It may be at another one already, which is asked;
		 * until then the page shows what it did. */
		if (is_holder && watch->view.connection != SHOWN_OFFLINE) {
			watch->is_lost = true;
			ask(watch);
		}
		return;
	}
	if (!is_holder && !watch->is_lost && !is_preferred(view, &watch->view))
		return;
	watch->holder = sender;
	watch->is_asked = watch->is_lost = false;
	know(watch, view);
}

/* ---- devices whose panel nobody holds ---- */

static void know_offline(struct watch *watch, int64_t last_online_us)
{
	struct panel_view view = {.last_online_us = last_online_us};

	/* An answer may have come while the database was asked. */
	if (watch->is_asked)
		know(watch, &view);
}

static void on_looked_up(struct db_query *query, const struct db_result *result)
{
	struct watches *watches = container_of(query, struct watches, query);
	const struct devices_last_online_row *rows = NULL;

	watches->is_looking_up = false;
	if (result->outcome == DB_OK)
		rows = db_read_rows(result, query->record, &watches->arena);
	for (unsigned i = 0; rows && i < result->row_count; i++) {
		struct watch *watch = watch_find(watches, rows[i].id);

		if (watch && list_is_linked(&watch->to_look_up))
			know_offline(watch, rows[i].last_online_at);
	}
	/* Pages of a device that is gone learn that otherwise; if the database is unavailable, the
	 * next renewal comes here again. */
	while (list_take_first(&watches->looked_up))
		;
	arena_finish(&watches->arena);
	if (!list_is_empty(&watches->to_look_up))
		loop_later(watches->loop, &watches->look_up);
}

static void on_look_up(struct later *later)
{
	struct watches *watches = container_of(later, struct watches, look_up);
	struct id ids[LOOK_UP_BATCH];
	unsigned count = 0;
	struct list *node;

	if (watches->is_looking_up)
		return;
	while (count < LOOK_UP_BATCH && (node = list_take_first(&watches->to_look_up))) {
		list_append(&watches->looked_up, node);
		ids[count++] = container_of(node, struct watch, to_look_up)->id;
	}
	if (count == 0)
		return;
	watches->is_looking_up = true;
	db_query_init(&watches->query, &watches->arena);
	statement_devices_last_online(
	    &watches->query, &(struct devices_last_online_parameters){.ids = {ids, count}}, NULL);
	watches->query.done = on_looked_up;
	db_submit(watches->db, &watches->query);
}

/* ---- hints ---- */

static void on_view_hint(struct hint_subscription *hints, struct str text)
{
	struct watches *watches = container_of(hints, struct watches, views);
	struct id device_id, sender;
	struct panel_view view;
	struct arena arena = {0};

	if (watches->by_id.count && view_hint_read(text, &arena, &device_id, &sender, &view) &&
	    !id_equal(sender, watches->leases->self))
		watches_take(watches, device_id, sender, &view);
	arena_finish(&arena);
}

static void on_other_watch(struct hint_subscription *hints, struct str text)
{
	struct watches *watches = container_of(hints, struct watches, others);
	struct id device_id, sender;

	if (watch_hint_read(text, &device_id, &sender) && !id_equal(sender, watches->leases->self))
		leases_ask(watches->leases, device_id, /* is_other= */ true);
}

static void tell_change(struct watches *watches, struct str text, enum watch_change change)
{
	const struct watch *watch;
	int64_t generation;
	struct id id;

	watch = change_hint_parse(text, &id, &generation) ? watch_find(watches, id) : NULL;
	if (!watch)
		return;
	list_for_each (node, &watch->watchers) {
		struct watcher *watcher = container_of(node, struct watcher, node);

		watcher->on_change(watcher, change);
	}
}

static void on_device_hint(struct hint_subscription *hints, struct str text)
{
	struct watches *watches = container_of(hints, struct watches, devices);

	if (watches->by_id.count == 0)
		return;
	tell_change(watches, text, WATCH_SETTINGS);
	tell_change(watches, text, WATCH_ROTATION);
}

static void on_push_hint(struct hint_subscription *hints, struct str text)
{
	struct watches *watches = container_of(hints, struct watches, pushes);

	if (watches->by_id.count)
		tell_change(watches, text, WATCH_ROTATION);
}

/* Renews all view subscriptions: reports that were sent meanwhile are lost. */
static void on_up(struct hint_subscription *hints, bool up)
{
	struct watches *watches = container_of(hints, struct watches, views);
	const struct map_node *node = NULL;
	unsigned number = 0;

	while (up && (node = map_next(&watches->by_id, node))) {
		struct watch *watch = container_of(node, struct watch, by_id);

		watch->was_sent = false;
		deadline_set(watches->loop, &watch->next, number++ % SPREAD_MS);
	}
}

/* ---- watches ---- */

static struct watch *watch_new(struct watches *watches, struct id id, struct id account_id)
{
	struct memory_share *share = memory_budget_join(&watches->budget, id_view(&account_id));
	struct watch *watch;

	if (!memory_budget_take(share, 1, watches->max)) {
		memory_budget_leave(share, 0);
		return NULL;
	}
	watch = memory_zalloc(sizeof(*watch));
	watch->watches = watches;
	watch->id = id;
	watch->share = share;
	watch->is_lost = true;
	list_init(&watch->watchers);
	list_init(&watch->to_look_up);
	deadline_init(&watch->next, on_next);
	map_insert(&watches->by_id, &watch->by_id, id_view(&watch->id));
	ask(watch);
	return watch;
}

bool watches_add(struct watches *watches, struct watcher *watcher, struct id device_id,
		 struct id account_id)
{
	struct watch *watch = watch_find(watches, device_id);

	list_init(&watcher->node);
	watcher->watch = watch ?: watch_new(watches, device_id, account_id);
	if (!watcher->watch)
		return false;
	list_append(&watcher->watch->watchers, &watcher->node);
	return true;
}

void watches_remove(struct watcher *watcher)
{
	struct watch *watch = watcher->watch;
	struct watches *watches = watch->watches;

	list_remove(&watcher->node);
	if (!list_is_empty(&watch->watchers))
		return;
	map_remove(&watches->by_id, &watch->by_id);
	list_remove(&watch->to_look_up);
	deadline_clear(watches->loop, &watch->next);
	memory_budget_leave(watch->share, 1);
	free(watch->texts);
	free(watch);
}

const struct panel_view *delivery_view(const struct watcher *watcher)
{
	return watcher->watch->is_known ? &watcher->watch->view : NULL;
}

struct id delivery_watched_id(const struct watcher *watcher)
{
	return watcher->watch->id;
}

/* ---- all ---- */

void watches_init(struct watches *watches)
{
	list_init(&watches->to_look_up);
	list_init(&watches->looked_up);
	loop_later_init(&watches->look_up, on_look_up);
	watches->views =
	    (struct hint_subscription){.kind = "shows", .on_hint = on_view_hint, .on_up = on_up};
	watches->others = (struct hint_subscription){.kind = "watch", .on_hint = on_other_watch};
	watches->devices = (struct hint_subscription){.kind = "device", .on_hint = on_device_hint};
	watches->pushes = (struct hint_subscription){.kind = "push", .on_hint = on_push_hint};
	db_subscribe(watches->db, &watches->views);
	db_subscribe(watches->db, &watches->others);
	db_subscribe(watches->db, &watches->devices);
	db_subscribe(watches->db, &watches->pushes);
}

void watches_finish(struct watches *watches)
{
	require(watches->by_id.count == 0 && !watches->is_looking_up);
	db_unsubscribe(&watches->views);
	db_unsubscribe(&watches->others);
	db_unsubscribe(&watches->devices);
	db_unsubscribe(&watches->pushes);
	loop_later_cancel(&watches->look_up);
	map_finish(&watches->by_id);
}
