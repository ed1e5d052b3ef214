#include "hint_seen.h"
#include "db/statements.h"

static void on_done(struct db_query *query, const struct db_result *result)
{
	struct hint_seen *seen = container_of(query, struct hint_seen, query);

	seen->is_under_way = false;
	arena_finish(&seen->arena);
	if (result->outcome == DB_OK)
		hints_note_seen(seen->hints, seen->sent_ms);
}

struct db_query *hint_seen_query(struct hint_seen *seen, struct hints *hints)
{
	if (seen->is_under_way)
		return NULL;
	seen->is_under_way = true;
	seen->hints = hints;
	seen->sent_ms = loop_now_ms(hints->connection.loop);
	db_query_init(&seen->query, &seen->arena);
	statement_hint_seen(
	    &seen->query,
	    &(struct hint_seen_parameters){.instance = hints->instance, .worker = hints->number});
	seen->query.done = on_done;
	return &seen->query;
}
