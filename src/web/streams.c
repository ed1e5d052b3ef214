#include "streams.h"
#include "base/limits.h"
#include "changed.h"
#include "events/unavailable_watch.h"
#include "page_views.h"
#include "web/people/session_checks.h"

#include <stdlib.h>

struct streams {
	struct loop *loop;
	struct db *db;
	struct stream_shares shares; /* of struct page_stream, by its member */
	struct session_checks checks;
	struct unavailable_watch unavailable;
	struct hint_subscription changes; /* "changed" */
	struct hint_subscription apps;	  /* "app" */
};

static struct page_stream *page_of(struct list *node)
{
	return container_of(node, struct page_stream, member.node);
}

/* ---- a stream's beginning and end ---- */

bool streams_are_full(const struct streams *streams)
{
	return stream_shares_are_full(&streams->shares);
}

bool streams_have_room(const struct streams *streams, struct id account_id)
{
	return stream_shares_have_room(&streams->shares, account_id);
}

struct page_stream *streams_open(struct streams *streams, const struct person *person,
				 struct id session_id)
{
	struct page_stream *page = memory_zalloc(sizeof(*page));

	page->streams = streams;
	page->session_id = session_id;
	page->is_reviewer = person->is_reviewer;
	page->is_administrator = person->is_administrator;
	page_stream_init(page, streams->loop);
	page_views_init(page);
	stream_shares_join(&streams->shares, &page->member, person->id);
	/* The session may have ended since it was read, and its hint may have arrived already. */
	session_checks_add(&streams->checks, page);
	return page;
}

void streams_leave(struct page_stream *page)
{
	list_remove(&page->to_check);
	stream_shares_leave(&page->streams->shares, &page->member);
	event_views_finish(&page->views);
	page_stream_finish(page);
	free(page);
}

static void begin_or_proceed(struct http_stream *stream, void *owner)
{
	struct page_stream *page = owner;

	(void)stream;
	if (!page->has_begun && page->streams->unavailable.is_unavailable)
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
	struct http_stream *stream = page->stream.http;

	page_stream_write(page, "bye", STR("{}"));
	streams_leave(page);
	http_stream_end(stream);
}

/* ---- hints ---- */

/* Writes a topic of a role, or keeps it until the roles were read again. */
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
	list_for_each (node, &streams->shares.all)
		tell(page_of(node), topic);
}

static void tell_account(struct streams *streams, struct id account_id, struct str topic)
{
	struct list *pages = stream_shares_find(&streams->shares, account_id);

	if (!pages)
		return;
	list_for_each (node, pages) {
		struct page_stream *page =
		    container_of(node, struct page_stream, member.of_account);

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

static void on_unavailable(struct unavailable_watch *unavailable, bool is_unavailable)
{
	struct streams *streams = container_of(unavailable, struct streams, unavailable);

	list_for_each (node, &streams->shares.all) {
		if (!page_of(node)->has_begun)
			continue;
		page_stream_write(page_of(node), is_unavailable ? "away" : "back", STR("{}"));
		if (!is_unavailable)
			page_views_repeat(page_of(node));
	}
	if (!is_unavailable)
		session_checks_add_all(&streams->checks);
}

static void on_up(struct hint_subscription *hints, bool up)
{
	unavailable_watch_on_up(&container_of(hints, struct streams, changes)->unavailable, up);
}

/* ---- all ---- */

struct streams *streams_create(struct loop *loop, struct db *db)
{
	struct streams *streams = memory_zalloc(sizeof(*streams));

	streams->loop = loop;
	streams->db = db;
	streams->shares = (struct stream_shares){
	    .max = LIMIT_PAGE_STREAMS,
	    .account_max = LIMIT_PAGE_STREAMS_OF_ACCOUNT,
	};
	stream_shares_init(&streams->shares);
	streams->unavailable =
	    (struct unavailable_watch){.loop = loop, .db = db, .on_change = on_unavailable};
	unavailable_watch_init(&streams->unavailable);
	streams->checks = (struct session_checks){
	    .loop = loop,
	    .db = db,
	    .all = &streams->shares.all,
	    .on_ended = on_session_ended,
	    .on_alive = on_session_alive,
	};
	session_checks_init(&streams->checks);
	streams->changes = (struct hint_subscription){
	    .kind = STR("changed"), .on_hint = on_changed, .on_up = on_up};
	streams->apps = (struct hint_subscription){.kind = STR("app"), .on_hint = on_app};
	db_subscribe(db, &streams->changes);
	db_subscribe(db, &streams->apps);
	return streams;
}

void streams_drain(struct streams *streams)
{
	unavailable_watch_drain(&streams->unavailable);
	session_checks_drain(&streams->checks);
}

void streams_destroy(struct streams *streams)
{
	stream_shares_finish(&streams->shares);
	db_unsubscribe(&streams->changes);
	db_unsubscribe(&streams->apps);
	session_checks_finish(&streams->checks);
	free(streams);
}
