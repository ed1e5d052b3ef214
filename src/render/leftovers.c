#include "leftovers.h"
#include "base/require.h"
#include "db/statements.h"

enum { PORTION = 200, REST_MS = 20 * 1000, BETWEEN_MS = 100 };

static void on_forgotten(struct db_query *query, const struct db_result *result)
{
	struct leftovers *leftovers = container_of(query, struct leftovers, query);
	struct app_hosts_forget_row row = {.next_id = leftovers->after_app};

	if (result->outcome == DB_OK && result->row_count)
		db_read_row(result, 0, query->record, &leftovers->arena, &row);
	leftovers->after_app = row.next_id;
	arena_finish(&leftovers->arena);
	if (!leftovers->is_draining)
		deadline_set(leftovers->loop, &leftovers->next,
			     leftovers->has_settled || leftovers->is_left || row.is_left
				 ? BETWEEN_MS
				 : REST_MS);
}

static void on_removed(struct db_query *query, const struct db_result *result)
{
	struct leftovers *leftovers = container_of(query, struct leftovers, query);
	struct render_remove_row row = {0};

	if (result->outcome == DB_OK && result->row_count)
		db_read_row(result, 0, query->record, &leftovers->arena, &row);
	leftovers->is_left = row.is_left;
	arena_finish(&leftovers->arena);
	if (leftovers->is_draining)
		return;
	db_query_init(&leftovers->query, &leftovers->arena);
	statement_app_hosts_forget(&leftovers->query,
				   &(struct app_hosts_forget_parameters){
				       .after_id = leftovers->after_app,
				       .row_limit = PORTION,
				   },
				   NULL);
	leftovers->query.done = on_forgotten;
	db_submit(leftovers->db, &leftovers->query);
}

static void on_settled(struct db_query *query, const struct db_result *result)
{
	struct leftovers *leftovers = container_of(query, struct leftovers, query);
	struct render_settle_row row = {0};

	if (result->outcome == DB_OK && result->row_count)
		db_read_row(result, 0, query->record, &leftovers->arena, &row);
	require(row.next_id.length <= sizeof(leftovers->after_entry));
	leftovers->after_device = row.next_device;
	leftovers->after_entry_length = row.next_id.length;
	if (row.next_id.length)
		memcpy(leftovers->after_entry, row.next_id.data, row.next_id.length);
	leftovers->has_settled = row.settled > 0 && row.next_id.length > 0;
	arena_finish(&leftovers->arena);
	if (leftovers->is_draining)
		return;
	db_query_init(&leftovers->query, &leftovers->arena);
	statement_render_remove(&leftovers->query,
				&(struct render_remove_parameters){.row_limit = PORTION}, NULL);
	leftovers->query.done = on_removed;
	db_submit(leftovers->db, &leftovers->query);
}

static void on_next(struct deadline *deadline)
{
	struct leftovers *leftovers = container_of(deadline, struct leftovers, next);

	if (!db_is_up(leftovers->db)) {
		deadline_set(leftovers->loop, deadline, REST_MS);
		return;
	}
	db_query_init(&leftovers->query, &leftovers->arena);
	statement_render_settle(
	    &leftovers->query,
	    &(struct render_settle_parameters){
		.after_device = leftovers->after_device,
		.after_id = {leftovers->after_entry, leftovers->after_entry_length},
		.row_limit = PORTION,
	    },
	    NULL);
	leftovers->query.done = on_settled;
	db_submit(leftovers->db, &leftovers->query);
}

void leftovers_start(struct leftovers *leftovers)
{
	deadline_init(&leftovers->next, on_next);
	deadline_set(leftovers->loop, &leftovers->next, REST_MS);
}

void leftovers_drain(struct leftovers *leftovers)
{
	leftovers->is_draining = true;
	deadline_clear(leftovers->loop, &leftovers->next);
}
