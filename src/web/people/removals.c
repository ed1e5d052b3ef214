#include "removals.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/account_removal.h"
#include "db/statements.h"

#include <stdlib.h>

enum { LOOK_MS = 60 * 1000, FAILED_MS = 5 * 1000 };

struct removals {
	struct loop *loop;
	struct db *db;
	struct deadline next;
	struct arena arena; /* of the query under way */
	struct db_query query;
	bool is_asking;
	bool wants_look; /* an account was closed while a query was under way */
	bool is_draining;
	bool is_under_way;   /* an account, or apps, are being removed */
	bool looks_for_apps; /* looks for apps next, else for accounts */
	struct account_removal removal;
	uint64_t asked_ms;
};

static void removals_ask(struct removals *removals,
			 void (*done)(struct db_query *query, const struct db_result *result))
{
	removals->query.done = done;
	removals->is_asking = true;
	removals->asked_ms = loop_now_ms(removals->loop);
	db_submit(removals->db, &removals->query);
}

/* Continues after a while. */
static void begin_pause(struct removals *removals, uint64_t ms)
{
	removals->is_asking = false;
	arena_finish(&removals->arena);
	if (removals->wants_look && !removals->is_under_way)
		ms = 0;
	removals->wants_look = false;
	if (!removals->is_draining)
		deadline_set(removals->loop, &removals->next, ms);
}

static void on_portion(struct db_query *query, const struct db_result *result)
{
	struct removals *removals = container_of(query, struct removals, query);
	uint64_t took_ms = loop_now_ms(removals->loop) - removals->asked_ms;
	struct removed_portion portion = {0};
	uint64_t ms = FAILED_MS;

	if (result->outcome == DB_OK && result->row_count == 1) {
		db_read_row(result, 0, query->record, &removals->arena, &portion);
		ms = account_removal_take(&removals->removal, &portion, took_ms);
	} else {
		account_removal_failed(&removals->removal);
	}
	begin_pause(removals, ms);
}

static void on_apps_found(struct db_query *query, const struct db_result *result)
{
	struct removals *removals = container_of(query, struct removals, query);
	struct app_removed_next_row row = {0};

	if (result->outcome != DB_OK || result->row_count == 0) {
		begin_pause(removals, result->outcome == DB_OK ? LOOK_MS : FAILED_MS);
		return;
	}
	db_read_row(result, 0, query->record, &removals->arena, &row);
	removals->is_under_way = true;
	account_removal_begin_apps(&removals->removal, row.account_id);
	begin_pause(removals, 0);
}

/* Looks for apps to remove, later, since no account must be removed. */
static void look_for_apps(struct removals *removals)
{
	removals->looks_for_apps = !removals->wants_look;
	begin_pause(removals, 0);
}

static void on_found(struct db_query *query, const struct db_result *result)
{
	struct removals *removals = container_of(query, struct removals, query);
	struct account_closed_next_row row = {0};

	if (result->outcome == DB_OK && result->row_count == 0) {
		look_for_apps(removals);
		return;
	}
	if (result->outcome != DB_OK) {
		begin_pause(removals, FAILED_MS);
		return;
	}
	db_read_row(result, 0, query->record, &removals->arena, &row);
	removals->is_under_way = true;
	account_removal_begin(&removals->removal, row.id);
	begin_pause(removals, 0);
}

static void proceed(struct deadline *deadline)
{
	struct removals *removals = container_of(deadline, struct removals, next);

	if (!db_is_up(removals->db)) {
		deadline_set(removals->loop, deadline, FAILED_MS);
		return;
	}
	removals->arena = (struct arena){0};
	db_query_init(&removals->query, &removals->arena);
	if (removals->is_under_way &&
	    account_removal_next(&removals->removal, &removals->query, NULL)) {
		removals_ask(removals, on_portion);
		return;
	}
	if (removals->is_under_way)
		log_info("web", removals->removal.only_apps ? "apps are removed"
							    : "an account is removed");
	removals->is_under_way = false;
	if (removals->looks_for_apps)
		statement_app_removed_next(&removals->query, NULL);
	else
		statement_account_closed_next(&removals->query, NULL);
	removals_ask(removals, removals->looks_for_apps ? on_apps_found : on_found);
	removals->looks_for_apps = false;
}

struct removals *removals_create(struct loop *loop, struct db *db)
{
	struct removals *removals = memory_zalloc(sizeof(*removals));

	removals->loop = loop;
	removals->db = db;
	deadline_init(&removals->next, proceed);
	deadline_set(loop, &removals->next, FAILED_MS);
	return removals;
}

void removals_destroy(struct removals *removals)
{
	deadline_clear(removals->loop, &removals->next);
	free(removals);
}

void removals_look(struct removals *removals)
{
	if (removals->is_asking)
		removals->wants_look = true;
	else if (!removals->is_under_way && !removals->is_draining) {
		removals->looks_for_apps = false;
		deadline_set(removals->loop, &removals->next, 0);
	}
}

void removals_drain(struct removals *removals)
{
	removals->is_draining = true;
	deadline_clear(removals->loop, &removals->next);
}
