#include "base/memory.h"
#include "base/require.h"
#include "events/changed_hint.h"
#include "state.h"

#include <stdlib.h>

enum { SOON_MS = 30, LOOK_MS = 30 * 1000, UNAVAILABLE_MS = 1000 };

static void look_after(struct collections *collections, uint64_t ms)
{
	uint64_t at_ms = loop_now_ms(collections->settings.loop) + ms;

	/* Never moves the look to a later time: hints may come without end. */
	if (collections->is_draining || collections->is_asking ||
	    (deadline_is_set(&collections->look) && collections->look_ms <= at_ms))
		return;
	collections->look_ms = at_ms;
	deadline_set_at(collections->settings.loop, &collections->look, at_ms);
}

static void on_fetched(struct collections *collections)
{
	look_after(collections, SOON_MS);
}

static void on_leased(struct db_query *query, const struct db_result *result)
{
	struct collections *collections = container_of(query, struct collections, query);

	collections->is_asking = false;
	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &collections->arena, &collections->row);
		fetch_collection_begin(collections, &collections->arena);
	}
	arena_finish(&collections->arena);
	look_after(collections, result->outcome == DB_OK ? LOOK_MS : UNAVAILABLE_MS);
}

static void on_look(struct deadline *deadline)
{
	struct collections *collections = container_of(deadline, struct collections, look);

	if (collections->fetch || !db_is_up(collections->settings.db)) {
		look_after(collections, collections->fetch ? LOOK_MS : UNAVAILABLE_MS);
		return;
	}
	collections->is_asking = true;
	collections->lease = id_new();
	db_query_init(&collections->query, &collections->arena);
	statement_app_archive_lease(&collections->query,
				    &(struct app_archive_lease_parameters){
					.lease = collections->lease,
					.lease_ms = FETCH_LEASE_MS,
				    },
				    NULL);
	collections->query.done = on_leased;
	db_submit(collections->settings.db, &collections->query);
}

/* Pages hear of a collection that is to be fetched: so does this. */
static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct collections *collections = container_of(hints, struct collections, hints);
	struct id account;
	struct str topic;

	if (changed_parse(text, &account, &topic) &&
	    (str_equal(topic, STR("admin")) || str_equal(topic, STR("collections"))))
		look_after(collections, SOON_MS);
}

struct collections *collections_create(const struct collections_settings *settings)
{
	struct collections *collections = memory_zalloc(sizeof(*collections));

	collections->settings = *settings;
	collections->on_fetched = on_fetched;
	deadline_init(&collections->look, on_look);
	look_after(collections, UNAVAILABLE_MS);
	collections->hints = (struct hint_subscription){.kind = STR("changed"), .on_hint = on_hint};
	db_subscribe(settings->db, &collections->hints);
	return collections;
}

void collections_drain(struct collections *collections)
{
	collections->is_draining = true;
	deadline_clear(collections->settings.loop, &collections->look);
	if (collections->fetch)
		fetch_stop(collections->fetch);
}

bool collections_are_at_work(const struct collections *collections)
{
	return collections->is_asking || collections->fetch;
}

void collections_destroy(struct collections *collections)
{
	require(!collections->is_asking && !collections->fetch);
	db_unsubscribe(&collections->hints);
	free(collections);
}
