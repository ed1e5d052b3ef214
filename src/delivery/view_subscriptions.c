#include "view_subscriptions.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/require.h"
#include "change_hint.h"
#include "db/statements.h"
#include "view_hint.h"

#include <sodium.h>
#include <stdlib.h>

enum {
	/* First interval at which a panel is looked for that nobody has; it doubles. Also the
	 * interval of renewals for holders of older programs, which forget a watch after 30 s. */
	RENEW_MS = 12 * 1000,
	/* Interval at which others are asked again, in case a word was lost: between half of it
	 * and one and a half. */
	ASK_AGAIN_MS = 5 * 60 * 1000,
	ANSWER_MS = 1500,
	/* Time over which subscriptions are renewed when hints arrive again. */
	SPREAD_MS = 500,
	NO_ROOM_MS = 50,
	LOOK_UP_BATCH = 200,
};

struct view_subscription {
	struct map_node by_id;
	struct view_subscriptions *subscriptions;
	struct id id;
	struct list subscribers; /* of struct view_subscriber */
	struct list to_look_up;
	struct memory_share *share;
	struct deadline next; /* the answer is late, or the panel's worker is asked again */
	uint32_t pause_ms;    /* interval of the last search for a panel that nobody has */
	bool was_sent;	      /* a hint was sent, and its answer is awaited */
	bool is_asked;	      /* the panel's worker has not answered since */
	bool is_lost;	      /* the panel's worker is gone or silent: the next worker that answers
				 is the holder */
	struct id holder;     /* worker that reported the view */
	struct known_view known;
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct view_subscription *
view_subscription_find(const struct view_subscriptions *subscriptions, struct id id)
{
	struct map_node *node =
	    subscriptions->by_id.count ? map_find(&subscriptions->by_id, id_view(&id)) : NULL;

	return node ? container_of(node, struct view_subscription, by_id) : NULL;
}

static struct id self_of(const struct view_subscriptions *subscriptions)
{
	return subscriptions->peers->self;
}

/* ---- requests ---- */

static void ask(struct view_subscription *subscription)
{
	struct view_subscriptions *subscriptions = subscription->subscriptions;
	struct arena arena = {0};
	struct str word;

	/* Ask this worker's own panel, which answers within this turn, whatever the database
	 * does. */
	leases_ask(subscriptions->leases, subscription->id);
	subscription->is_asked = true;
	if (!db_hints_are_up(subscriptions->db)) {
		deadline_set(subscriptions->loop, &subscription->next, RENEW_MS);
		return; /* on_up() will be called */
	}
	if (db_hint_room(subscriptions->db) < LIMIT_HINT_BYTES / 2) {
		deadline_set(subscriptions->loop, &subscription->next, NO_ROOM_MS);
		return;
	}
	word = watch_hint_write(&arena, "watch", subscription->id, self_of(subscriptions));
	db_hint(subscriptions->db, word);
	arena_finish(&arena);
	subscription->was_sent = true;
	deadline_set(subscriptions->loop, &subscription->next, ANSWER_MS);
}

static bool is_older(const struct view_subscriptions *subscriptions, struct id holder)
{
	return !id_equal(holder, self_of(subscriptions)) &&
	       !view_peers_know(subscriptions->peers, holder);
}

/* Returns the time until the panel's worker is asked again. */
static uint64_t rest_ms(struct view_subscription *subscription)
{
	const struct view_subscriptions *subscriptions = subscription->subscriptions;
	bool is_missing = subscription->is_asked;

	/* A worker of an older program does not say that a panel has come. */
	if (is_missing ? subscriptions->peers->older > 0
		       : is_older(subscriptions, subscription->holder))
		return RENEW_MS - ANSWER_MS;
	if (is_missing && subscription->pause_ms < ASK_AGAIN_MS / 2) {
		subscription->pause_ms =
		    subscription->pause_ms ? 2 * subscription->pause_ms : RENEW_MS;
		return subscription->pause_ms - ANSWER_MS;
	}
	return ASK_AGAIN_MS / 2 + randombytes_uniform(ASK_AGAIN_MS);
}

static void on_next(struct deadline *deadline)
{
	struct view_subscription *subscription =
	    container_of(deadline, struct view_subscription, next);
	struct view_subscriptions *subscriptions = subscription->subscriptions;

	if (!subscription->was_sent) {
		ask(subscription);
		return;
	}
	subscription->was_sent = false;
	deadline_set(subscriptions->loop, deadline, rest_ms(subscription));
	if (!subscription->is_asked || !db_hints_are_up(subscriptions->db))
		return;
	if (!subscription->is_lost) {
		subscription->is_lost = true;
		ask(subscription);
		return;
	}
	if (!list_is_linked(&subscription->to_look_up))
		list_append(&subscriptions->to_look_up, &subscription->to_look_up);
	loop_later(subscriptions->loop, &subscriptions->look_up);
}

/* ---- reports ---- */

static void tell_subscribers(struct view_subscription *subscription)
{
	list_for_each (node, &subscription->subscribers) {
		struct view_subscriber *subscriber =
		    container_of(node, struct view_subscriber, node);

		subscriber->on_view(subscriber);
	}
}

static void know(struct view_subscription *subscription, const struct panel_view *view)
{
	if (known_view_take(&subscription->known, view))
		tell_subscribers(subscription);
}

static bool is_preferred(const struct panel_view *view, const struct panel_view *other)
{
	if (view->connection != other->connection)
		return view->connection == SHOWN_WEB_SOCKET || other->connection == SHOWN_OFFLINE;
	return view->rank_us >= other->rank_us;
}

/* Whether the panel has polled at this instance since the poll that is reported: the hint is late.
 * The clock of another instance may differ. */
static bool is_outdated(const struct view_subscriptions *subscriptions, struct id device_id,
			struct id sender, const struct panel_view *view)
{
	const struct cursors *cursors = subscriptions->leases->panels->cursors;

	return view->connection == SHOWN_POLLING && cursors_have_worker(cursors, sender) &&
	       view->rank_us < cursor_contact(cursors, device_id).polled_us;
}

void view_subscriptions_take(struct view_subscriptions *subscriptions, struct id device_id,
			     struct id sender, const struct panel_view *view)
{
	struct view_subscription *subscription = view_subscription_find(subscriptions, device_id);
	bool is_holder;

	if (!subscription || is_outdated(subscriptions, device_id, sender, view))
		return;
	is_holder = subscription->known.is_known && id_equal(subscription->holder, sender);
	if (view->connection == SHOWN_OFFLINE) {
		/* The panel has left that worker. It may be at another one already, which is asked;
		 * until then the page keeps its picture. */
		if (is_holder && subscription->known.view.connection != SHOWN_OFFLINE) {
			subscription->is_lost = true;
			ask(subscription);
		}
		return;
	}
	if (!is_holder && !subscription->is_lost && !is_preferred(view, &subscription->known.view))
		return;
	subscription->holder = sender;
	subscription->is_asked = subscription->is_lost = false;
	subscription->pause_ms = 0;
	know(subscription, view);
}

/* ---- devices whose panel no worker has ---- */

static void know_offline(struct view_subscription *subscription, int64_t last_online_us)
{
	struct panel_view view = {.last_online_us = last_online_us};

	/* An answer may have come while the database was asked. */
	if (subscription->is_asked)
		know(subscription, &view);
}

static void on_looked_up(struct db_query *query, const struct db_result *result)
{
	struct view_subscriptions *subscriptions =
	    container_of(query, struct view_subscriptions, query);
	const struct devices_last_online_row *rows = NULL;

	subscriptions->is_looking_up = false;
	if (result->outcome == DB_OK)
		rows = db_read_rows(result, query->record, &subscriptions->arena);
	for (unsigned i = 0; rows && i < result->row_count; i++) {
		struct view_subscription *subscription =
		    view_subscription_find(subscriptions, rows[i].id);

		if (subscription && list_is_linked(&subscription->to_look_up))
			know_offline(subscription, rows[i].last_online_at);
	}
	/* Pages of a removed device are notified otherwise; if the database is unavailable, the
	 * next renewal tries again. */
	while (list_take_first(&subscriptions->looked_up))
		;
	arena_finish(&subscriptions->arena);
	if (!list_is_empty(&subscriptions->to_look_up))
		loop_later(subscriptions->loop, &subscriptions->look_up);
}

static void on_look_up(struct later *later)
{
	struct view_subscriptions *subscriptions =
	    container_of(later, struct view_subscriptions, look_up);
	struct id ids[LOOK_UP_BATCH];
	unsigned count = 0;
	struct list *node;

	if (subscriptions->is_looking_up)
		return;
	while (count < LOOK_UP_BATCH && (node = list_take_first(&subscriptions->to_look_up))) {
		list_append(&subscriptions->looked_up, node);
		ids[count++] = container_of(node, struct view_subscription, to_look_up)->id;
	}
	if (count == 0)
		return;
	subscriptions->is_looking_up = true;
	db_query_init(&subscriptions->query, &subscriptions->arena);
	statement_devices_last_online(&subscriptions->query,
				      &(struct devices_last_online_parameters){.ids = {ids, count}},
				      NULL);
	subscriptions->query.done = on_looked_up;
	db_submit(subscriptions->db, &subscriptions->query);
}

/* ---- hints ---- */

static void on_view_hint(struct hint_subscription *hints, struct str text)
{
	struct view_subscriptions *subscriptions =
	    container_of(hints, struct view_subscriptions, views);
	struct id device_id, sender;
	struct panel_view view;
	struct arena arena = {0};

	if (subscriptions->by_id.count &&
	    view_hint_read(text, &arena, &device_id, &sender, &view) &&
	    !id_equal(sender, self_of(subscriptions))) {
		(void)view_peers_hear(subscriptions->peers, sender);
		view_subscriptions_take(subscriptions, device_id, sender, &view);
	}
	arena_finish(&arena);
}

static void ask_soon(struct view_subscription *subscription, unsigned number)
{
	subscription->was_sent = false;
	deadline_set(subscription->subscriptions->loop, &subscription->next, number % SPREAD_MS);
}

/* A worker has hints again: it may have got panels meanwhile. */
static void look_for_missing(struct view_subscriptions *subscriptions)
{
	const struct map_node *node = NULL;
	unsigned number = 0;

	while ((node = map_next(&subscriptions->by_id, node))) {
		struct view_subscription *subscription =
		    container_of(node, struct view_subscription, by_id);

		if (subscription->is_asked && !subscription->was_sent)
			ask_soon(subscription, number++);
	}
}

static void on_came(struct hint_subscription *hints, struct str text)
{
	struct view_subscriptions *subscriptions =
	    container_of(hints, struct view_subscriptions, comes);
	struct view_subscription *subscription;
	struct id device_id, sender;

	if (subscriptions->by_id.count == 0 || !watch_hint_read(text, &device_id, &sender) ||
	    id_equal(sender, self_of(subscriptions)))
		return;
	if (id_is_none(device_id)) {
		look_for_missing(subscriptions);
		return;
	}
	subscription = view_subscription_find(subscriptions, device_id);
	if (subscription)
		ask(subscription);
}

void view_subscriptions_miss(struct view_subscriptions *subscriptions, struct id peer_id)
{
	const struct map_node *node = NULL;
	unsigned number = 0;

	while ((node = map_next(&subscriptions->by_id, node))) {
		struct view_subscription *subscription =
		    container_of(node, struct view_subscription, by_id);

		if (subscription->is_asked || !id_equal(subscription->holder, peer_id))
			continue;
		subscription->is_lost = true;
		ask_soon(subscription, number++);
	}
}

static void tell_change(struct view_subscriptions *subscriptions, struct str text,
			enum view_change change)
{
	const struct view_subscription *subscription;
	int64_t generation;
	struct id id;

	subscription = change_hint_parse(text, &id, &generation)
			   ? view_subscription_find(subscriptions, id)
			   : NULL;
	if (!subscription)
		return;
	list_for_each (node, &subscription->subscribers) {
		struct view_subscriber *subscriber =
		    container_of(node, struct view_subscriber, node);

		subscriber->on_change(subscriber, change);
	}
}

static void on_device_hint(struct hint_subscription *hints, struct str text)
{
	struct view_subscriptions *subscriptions =
	    container_of(hints, struct view_subscriptions, devices);

	if (subscriptions->by_id.count == 0)
		return;
	tell_change(subscriptions, text, VIEW_SETTINGS);
	tell_change(subscriptions, text, VIEW_ROTATION);
}

static void on_push_hint(struct hint_subscription *hints, struct str text)
{
	struct view_subscriptions *subscriptions =
	    container_of(hints, struct view_subscriptions, pushes);

	if (subscriptions->by_id.count)
		tell_change(subscriptions, text, VIEW_ROTATION);
}

/* Renews all view subscriptions: reports that were sent meanwhile are lost. */
static void on_up(struct hint_subscription *hints, bool up)
{
	struct view_subscriptions *subscriptions =
	    container_of(hints, struct view_subscriptions, views);
	const struct map_node *node = NULL;
	unsigned number = 0;

	while (up && (node = map_next(&subscriptions->by_id, node))) {
		struct view_subscription *subscription =
		    container_of(node, struct view_subscription, by_id);

		ask_soon(subscription, number++);
	}
}

/* ---- subscriptions ---- */

static struct view_subscription *view_subscription_new(struct view_subscriptions *subscriptions,
						       struct id id, struct id account_id)
{
	struct memory_share *share =
	    memory_budget_join(&subscriptions->budget, id_view(&account_id));
	struct view_subscription *subscription;

	if (!memory_budget_take(share, 1, subscriptions->max)) {
		memory_budget_leave(share, 0);
		return NULL;
	}
	subscription = memory_zalloc(sizeof(*subscription));
	subscription->subscriptions = subscriptions;
	subscription->id = id;
	subscription->share = share;
	subscription->is_lost = true;
	list_init(&subscription->subscribers);
	list_init(&subscription->to_look_up);
	deadline_init(&subscription->next, on_next);
	map_insert(&subscriptions->by_id, &subscription->by_id, id_view(&subscription->id));
	view_peers_need(subscriptions->peers);
	db_hint_hold(subscriptions->db, id);
	ask(subscription);
	return subscription;
}

bool view_subscriptions_add(struct view_subscriptions *subscriptions,
			    struct view_subscriber *subscriber, struct id device_id,
			    struct id account_id)
{
	struct view_subscription *subscription = view_subscription_find(subscriptions, device_id);

	list_init(&subscriber->node);
	subscriber->subscription =
	    subscription ?: view_subscription_new(subscriptions, device_id, account_id);
	if (!subscriber->subscription)
		return false;
	list_append(&subscriber->subscription->subscribers, &subscriber->node);
	return true;
}

void view_subscriptions_remove(struct view_subscriber *subscriber)
{
	struct view_subscription *subscription = subscriber->subscription;
	struct view_subscriptions *subscriptions = subscription->subscriptions;
	struct arena arena = {0};

	list_remove(&subscriber->node);
	if (!list_is_empty(&subscription->subscribers))
		return;
	/* If the word is lost, the watch ends when it is not asked for again. */
	if (db_hints_are_up(subscriptions->db)) {
		db_hint(subscriptions->db, watch_hint_write(&arena, "unwatch", subscription->id,
							    self_of(subscriptions)));
		arena_finish(&arena);
	}
	leases_leave(subscriptions->leases, subscription->id);
	view_peers_need_less(subscriptions->peers);
	db_hint_release(subscriptions->db, subscription->id);
	map_remove(&subscriptions->by_id, &subscription->by_id);
	list_remove(&subscription->to_look_up);
	deadline_clear(subscriptions->loop, &subscription->next);
	memory_budget_leave(subscription->share, 1);
	known_view_finish(&subscription->known);
	free(subscription);
}

const struct panel_view *delivery_view(const struct view_subscriber *subscriber)
{
	return subscriber->subscription->known.is_known ? &subscriber->subscription->known.view
							: NULL;
}

struct id delivery_view_id(const struct view_subscriber *subscriber)
{
	return subscriber->subscription->id;
}

/* ---- all ---- */

void view_subscriptions_init(struct view_subscriptions *subscriptions)
{
	list_init(&subscriptions->to_look_up);
	list_init(&subscriptions->looked_up);
	loop_later_init(&subscriptions->look_up, on_look_up);
	subscriptions->views = (struct hint_subscription){
	    .kind = STR("shows"), .on_hint = on_view_hint, .on_up = on_up};
	subscriptions->comes = (struct hint_subscription){.kind = STR("came"), .on_hint = on_came};
	subscriptions->devices =
	    (struct hint_subscription){.kind = STR("device"), .on_hint = on_device_hint};
	subscriptions->pushes =
	    (struct hint_subscription){.kind = STR("push"), .on_hint = on_push_hint};
	db_subscribe(subscriptions->db, &subscriptions->views);
	db_subscribe(subscriptions->db, &subscriptions->comes);
	db_subscribe(subscriptions->db, &subscriptions->devices);
	db_subscribe(subscriptions->db, &subscriptions->pushes);
}

void view_subscriptions_finish(struct view_subscriptions *subscriptions)
{
	require(subscriptions->by_id.count == 0 && !subscriptions->is_looking_up);
	db_unsubscribe(&subscriptions->views);
	db_unsubscribe(&subscriptions->comes);
	db_unsubscribe(&subscriptions->devices);
	db_unsubscribe(&subscriptions->pushes);
	loop_later_cancel(&subscriptions->look_up);
	map_finish(&subscriptions->by_id);
}
