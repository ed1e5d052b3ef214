#include "catalogue_work.h"
#include "base/clock.h"
#include "db/storage.h"

enum {
	START_MS = 1000,
	LISTS_US = 10 * 1000 * 1000, /* an import brings a thousand pictures in a row */
};

void catalogue_work_wake(struct catalogue_work *work)
{
	/* During a round the app may have been passed already. */
	work->wants_look |= work->is_busy || work->is_amid;
	if (!work->is_busy && !work->is_draining)
		deadline_set(work->loop, &work->next, 0);
}

static void on_deploy(struct hint_subscription *subscription, struct str text)
{
	(void)text;
	catalogue_work_wake(container_of(subscription, struct catalogue_work, deploys));
}

void catalogue_work_init(struct catalogue_work *work, struct loop *loop, struct db *db,
			 void (*look)(struct deadline *next))
{
	work->loop = loop;
	work->db = db;
	deadline_init(&work->next, look);
	work->deploys = (struct hint_subscription){.kind = STR("app"), .on_hint = on_deploy};
	deadline_set(loop, &work->next, START_MS);
	db_subscribe(db, &work->deploys);
}

bool catalogue_work_begin(struct catalogue_work *work)
{
	if (!db_is_up(work->db) || !storage_takes_pictures(db_storage(work->db))) {
		deadline_set(work->loop, &work->next, START_MS);
		return false;
	}
	work->is_busy = true;
	work->arena = (struct arena){0};
	catalogue_work_query(work);
	return true;
}

void catalogue_work_query(struct catalogue_work *work)
{
	db_query_init(&work->query, &work->arena);
}

void catalogue_work_ask(struct catalogue_work *work,
			void (*done)(struct db_query *query, const struct db_result *result))
{
	work->query.done = done;
	db_submit(work->db, &work->query);
}

void catalogue_work_pause(struct catalogue_work *work, uint64_t ms)
{
	arena_finish(&work->arena);
	work->is_busy = false;
	if (!work->is_draining)
		deadline_set(work->loop, &work->next, ms);
}

void catalogue_work_listed(struct catalogue_work *work)
{
	work->has_listed = true;
	if (clock_monotonic_us() - work->told_lists_us >= LISTS_US)
		catalogue_work_tell(work);
}

void catalogue_work_tell(struct catalogue_work *work)
{
	if (!work->has_listed)
		return;
	work->has_listed = false;
	work->told_lists_us = clock_monotonic_us();
	db_hint(work->db, STR("changed:00000000-0000-0000-0000-000000000000:apps"));
}

void catalogue_work_drain(struct catalogue_work *work)
{
	work->is_draining = true;
	deadline_clear(work->loop, &work->next);
}

void catalogue_work_finish(struct catalogue_work *work)
{
	db_unsubscribe(&work->deploys);
	deadline_clear(work->loop, &work->next);
}
