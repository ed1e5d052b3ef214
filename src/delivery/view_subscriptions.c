#include "view_subscriptions.h"
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
	struct deadline next; /* the answer is late, or the subscription must be renewed */
	bool was_sent;	      /* a hint was sent, and its answer is awaited */
	bool is_asked;	      /* the panel's worker has not answered since */
	bool is_lost;	      /* the panel's worker is gone or silent: the next worker that answers
				 is the holder */
	bool is_known;
	struct id holder; /* worker that reported the view */
	struct panel_view view;
	char *texts; /* installations of the view */
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

/* ---- requests ---- */

static void ask(struct view_subscription *subscription)
{
	struct view_subscriptions *subscriptions = subscription->subscriptions;
	struct arena arena = {0};
	struct str word;

	/* Ask this worker's own panel, which answers within this turn, whatever the database
	 * does. */
	leases_ask(subscriptions->leases, subscription->id, /* is_other= */ false);
	subscription->is_asked = true;
	if (!db_hints_are_up(subscriptions->db)) {
		deadline_set(subscriptions->loop, &subscription->next, RENEW_MS);
		return; /* on_up() will be called */
	}
	if (db_hint_room(subscriptions->db) < LIMIT_HINT_BYTES / 2) {
		deadline_set(subscriptions->loop, &subscription->next, NO_ROOM_MS);
		return;
	}
	word = watch_hint_write(&arena, subscription->id, subscriptions->leases->self);
	db_hint(subscriptions->db, word);
	arena_finish(&arena);
	subscription->was_sent = true;
	deadline_set(subscriptions->loop, &subscription->next, ANSWER_MS);
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
	deadline_set(subscriptions->loop, deadline, RENEW_MS - ANSWER_MS);
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

static bool is_same_picture(const struct view_picture *a, const struct view_picture *b)
{
	return a->kind == b->kind && a->has_hash == b->has_hash &&
	       (!a->has_hash || memcmp(a->hash, b->hash, PICTURE_HASH_BYTES) == 0) &&
	       a->filter == b->filter && str_equal(a->installation_id, b->installation_id);
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

/* Moves the text to *end. */
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

static void know(struct view_subscription *subscription, const struct panel_view *view)
{
	size_t size = view->now.installation_id.length + view->next.installation_id.length;
	char *texts, *end;

	if (subscription->is_known && is_same(&subscription->view, view)) {
		subscription->view.rank_us = view->rank_us;
		return;
	}
	texts = end = size ? memory_alloc(size) : NULL;
	subscription->view = *view;
	move_text(&subscription->view.now.installation_id, &end);
	move_text(&subscription->view.next.installation_id, &end);
	free(subscription->texts);
	subscription->texts = texts;
	subscription->is_known = true;
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
	const struct cursors *cursors = subscriptions->leases->cursors;

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
	is_holder = subscription->is_known && id_equal(subscription->holder, sender);
	if (view->connection == SHOWN_OFFLINE) {
		/* The panel has left that worker. It may be at another one already, which is asked;
		 * until then the page keeps its picture. */
		if (is_holder && subscription->view.connection != SHOWN_OFFLINE) {
			subscription->is_lost = true;
			ask(subscription);
		}
		return;
	}
	if (!is_holder && !subscription->is_lost && !is_preferred(view, &subscription->view))
		return;
	subscription->holder = sender;
	subscription->is_asked = subscription->is_lost = false;
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
	    !id_equal(sender, subscriptions->leases->self))
		view_subscriptions_take(subscriptions, device_id, sender, &view);
	arena_finish(&arena);
}

static void on_other_watch(struct hint_subscription *hints, struct str text)
{
	struct view_subscriptions *subscriptions =
	    container_of(hints, struct view_subscriptions, others);
	struct id device_id, sender;

	if (watch_hint_read(text, &device_id, &sender) &&
	    !id_equal(sender, subscriptions->leases->self))
		leases_ask(subscriptions->leases, device_id, /* is_other= */ true);
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

		subscription->was_sent = false;
		deadline_set(subscriptions->loop, &subscription->next, number++ % SPREAD_MS);
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

	list_remove(&subscriber->node);
	if (!list_is_empty(&subscription->subscribers))
		return;
	map_remove(&subscriptions->by_id, &subscription->by_id);
	list_remove(&subscription->to_look_up);
	deadline_clear(subscriptions->loop, &subscription->next);
	memory_budget_leave(subscription->share, 1);
	free(subscription->texts);
	free(subscription);
}

const struct panel_view *delivery_view(const struct view_subscriber *subscriber)
{
	return subscriber->subscription->is_known ? &subscriber->subscription->view : NULL;
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
	subscriptions->others =
	    (struct hint_subscription){.kind = STR("watch"), .on_hint = on_other_watch};
	subscriptions->devices =
	    (struct hint_subscription){.kind = STR("device"), .on_hint = on_device_hint};
	subscriptions->pushes =
	    (struct hint_subscription){.kind = STR("push"), .on_hint = on_push_hint};
	db_subscribe(subscriptions->db, &subscriptions->views);
	db_subscribe(subscriptions->db, &subscriptions->others);
	db_subscribe(subscriptions->db, &subscriptions->devices);
	db_subscribe(subscriptions->db, &subscriptions->pushes);
}

void view_subscriptions_finish(struct view_subscriptions *subscriptions)
{
	require(subscriptions->by_id.count == 0 && !subscriptions->is_looking_up);
	db_unsubscribe(&subscriptions->views);
	db_unsubscribe(&subscriptions->others);
	db_unsubscribe(&subscriptions->devices);
	db_unsubscribe(&subscriptions->pushes);
	loop_later_cancel(&subscriptions->look_up);
	map_finish(&subscriptions->by_id);
}
