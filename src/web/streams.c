#include "streams.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/require.h"
#include "changed.h"
#include "page_views.h"
#include "web/people/session_checks.h"

#include <stdlib.h>

enum { LOOK_AGAIN_MS = 50 };

/* Streams of one account. */
struct stream_share {
	struct map_node by_account;
	struct id account_id;
	struct list streams; /* of struct page_stream */
	unsigned count;
};

struct streams {
	struct loop *loop;
	struct db *db;
	struct map shares;
	struct list all; /* of struct page_stream */
	unsigned count;
	struct session_checks checks;
	bool is_draining;
	bool is_away;			  /* the database, as pages were told */
	struct deadline look_again;	  /* set while it may be back */
	struct hint_subscription changes; /* "changed" */
	struct hint_subscription apps;	  /* "app" */
};

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct page_stream *page_of(struct list *node)
{
	return container_of(node, struct page_stream, node);
}

/* ---- shares of accounts ---- */

static struct stream_share *share_find(const struct streams *streams, struct id account_id)
{
	struct map_node *node = map_find(&streams->shares, id_view(&account_id));

	return node ? container_of(node, struct stream_share, by_account) : NULL;
}

static void share_join(struct page_stream *page, struct id account_id)
{
	struct streams *streams = page->streams;
	struct stream_share *share = share_find(streams, account_id);

	if (!share) {
		share = memory_zalloc(sizeof(*share));
		share->account_id = account_id;
		list_init(&share->streams);
		map_insert(&streams->shares, &share->by_account, id_view(&share->account_id));
	}
	list_append(&share->streams, &page->of_share);
	share->count++;
	page->share = share;
}

static void share_leave(struct page_stream *page)
{
	struct stream_share *share = page->share;

	list_remove(&page->of_share);
	if (--share->count)
		return;
	map_remove(&page->streams->shares, &share->by_account);
	free(share);
}

/* ---- a stream's beginning and end ---- */

bool streams_have_room(const struct streams *streams, struct id account_id)
{
	const struct stream_share *share = share_find(streams, account_id);

	return streams->count < LIMIT_PAGE_STREAMS &&
	       (!share || share->count < LIMIT_PAGE_STREAMS_OF_ACCOUNT);
}

struct page_stream *streams_open(struct streams *streams, const struct person *person,
				 struct id session_id)
{
	struct page_stream *page = memory_zalloc(sizeof(*page));

	page->streams = streams;
	page->loop = streams->loop;
	page->session_id = session_id;
	page->is_reviewer = person->is_reviewer;
	page->is_administrator = person->is_administrator;
	page_stream_init(page);
	list_append(&streams->all, &page->node);
	streams->count++;
	share_join(page, person->id);
	/* The session may have ended since it was read, and its hint may be here already. */
	session_checks_add(&streams->checks, page);
	return page;
}

void streams_leave(struct page_stream *page)
{
	list_remove(&page->node);
	list_remove(&page->to_check);
	page->streams->count--;
	share_leave(page);
	page_views_finish(page);
	page_stream_finish(page);
	free(page);
}

static void begin_or_proceed(struct http_stream *stream, void *owner)
{
	struct page_stream *page = owner;

	(void)stream;
	if (!page->has_begun && page->streams->is_away)
		page_stream_write(page, "away", STR("{}"));
	page->has_begun = true;
	page_stream_proceed(page);
	page_views_proceed(page);
}

static void on_stopped(struct http_stream *stream, void *owner)
{
	(void)stream;
	streams_leave(owner);
}

const struct http_stream_source page_stream_source = {
    .proceed = begin_or_proceed,
    .stop = on_stopped,
    .is_endless = true,
};

static void on_session_ended(struct page_stream *page)
{
	struct http_stream *stream = page->stream;

	page_stream_write(page, "bye", STR("{}"));
	streams_leave(page);
	http_stream_end(stream);
}

/* ---- hints ---- */

/* Tells a topic of a role, or owes it while the roles are read again. */
static void tell_role(struct page_stream *page, bool has_role, bool *owes, const char *topic)
{
	*owes = session_checks_has(page);
	if (!*owes && has_role)
		page_stream_tell(page, str_from(topic));
}

static void tell_reviews(struct page_stream *page)
{
	tell_role(page, page->is_reviewer, &page->owes_reviews, "reviews");
}

static void tell_admin(struct page_stream *page)
{
	tell_role(page, page->is_administrator, &page->owes_admin, "admin");
}

static void tell(struct page_stream *page, struct str topic)
{
	if (str_equal(topic, STR("reviews")))
		tell_reviews(page);
	else if (str_equal(topic, STR("admin")))
		tell_admin(page);
	else
		page_stream_tell(page, topic);
}

static void on_session_alive(struct page_stream *page)
{
	if (page->owes_reviews)
		tell_reviews(page);
	if (page->owes_admin)
		tell_admin(page);
}

static void tell_all(struct streams *streams, struct str topic)
{
	list_for_each (node, &streams->all)
		tell(page_of(node), topic);
}

static void tell_account(struct streams *streams, struct id account_id, struct str topic)
{
	struct stream_share *share = share_find(streams, account_id);

	if (!share)
		return;
	list_for_each (node, &share->streams) {
		struct page_stream *page = container_of(node, struct page_stream, of_share);

		if (str_equal(topic, STR("sessions")) || str_equal(topic, STR("account")))
			session_checks_add(&streams->checks, page);
		tell(page, topic);
	}
}

static void on_changed(struct hint_subscription *hints, struct str text)
{
	struct streams *streams = container_of(hints, struct streams, changes);
	struct id account_id;
	struct str topic;

	if (!changed_parse(text, &account_id, &topic))
		return;
	if (id_is_none(account_id))
		tell_all(streams, topic);
	else
		tell_account(streams, account_id, topic);
}

static void on_app(struct hint_subscription *hints, struct str text)
{
	(void)text;
	tell_all(container_of(hints, struct streams, apps), STR("apps"));
}

static void say(struct streams *streams, bool is_away)
{
	if (streams->is_away == is_away)
		return;
	streams->is_away = is_away;
	list_for_each (node, &streams->all) {
		if (!page_of(node)->has_begun)
			continue;
		page_stream_write(page_of(node), is_away ? "away" : "back", STR("{}"));
		if (!is_away)
			page_views_repeat(page_of(node));
	}
}

/* Pages that are told so ask for all they show: the other connections must be there, too. */
static void look_again(struct deadline *deadline)
{
	struct streams *streams = container_of(deadline, struct streams, look_again);

	if (!db_is_up(streams->db)) {
		deadline_set(streams->loop, deadline, LOOK_AGAIN_MS);
		return;
	}
	say(streams, false);
	session_checks_add_all(&streams->checks);
}

/* While no hints come, what pages show may be old. */
static void on_up(struct hint_subscription *hints, bool up)
{
	struct streams *streams = container_of(hints, struct streams, changes);

	if (up && !streams->is_draining) {
		deadline_set(streams->loop, &streams->look_again, 0);
	} else {
		deadline_clear(streams->loop, &streams->look_again);
		say(streams, true);
	}
}

/* ---- all ---- */

struct streams *streams_create(struct loop *loop, struct db *db)
{
	struct streams *streams = memory_zalloc(sizeof(*streams));

	streams->loop = loop;
	streams->db = db;
	streams->is_away = true;
	deadline_init(&streams->look_again, look_again);
	list_init(&streams->all);
	streams->checks = (struct session_checks){
	    .loop = loop,
	    .db = db,
	    .all = &streams->all,
	    .on_ended = on_session_ended,
	    .on_alive = on_session_alive,
	};
	session_checks_init(&streams->checks);
	streams->changes =
	    (struct hint_subscription){.kind = "changed", .on_hint = on_changed, .on_up = on_up};
	streams->apps = (struct hint_subscription){.kind = "app", .on_hint = on_app};
	db_subscribe(db, &streams->changes);
	db_subscribe(db, &streams->apps);
	return streams;
}

void streams_drain(struct streams *streams)
{
	streams->is_draining = true;
	deadline_clear(streams->loop, &streams->look_again);
	session_checks_drain(&streams->checks);
}

void streams_destroy(struct streams *streams)
{
	require(streams->count == 0);
	db_unsubscribe(&streams->changes);
	db_unsubscribe(&streams->apps);
	session_checks_finish(&streams->checks);
	map_finish(&streams->shares);
	free(streams);
}
