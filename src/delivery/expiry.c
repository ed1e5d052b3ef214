#include "expiry.h"
#include "base/require.h"
#include "db/statements.h"

static void on_removed(struct db_query *query, const struct db_result *result)
{
	struct expiry *expiry = container_of(query, struct expiry, query);
	const struct devices_expire_row *rows = NULL;
	bool is_full;

	expiry->is_under_way = false;
	if (result->outcome == DB_OK)
		rows = db_read_rows(result, query->record, &expiry->arena);
	for (unsigned i = 0; rows && i < result->row_count; i++)
		expiry->on_expired(expiry->context, rows[i].id, rows[i].generation);
	is_full = rows && result->row_count && rows[0].is_full;
	arena_finish(&expiry->arena);
	if (is_full)
		expiry_turn(expiry);
}

void expiry_turn(struct expiry *expiry)
{
	if (expiry->is_under_way || expiry->is_draining || !db_is_up(expiry->db))
		return;
	expiry->is_under_way = true;
	db_query_init(&expiry->query, &expiry->arena);
	statement_devices_expire(&expiry->query, NULL);
	expiry->query.done = on_removed;
	db_submit(expiry->db, &expiry->query);
}

void expiry_drain(struct expiry *expiry)
{
	expiry->is_draining = true;
}

void expiry_finish(struct expiry *expiry)
{
	require(!expiry->is_under_way);
}
