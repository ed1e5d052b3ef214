#include "failures.h"
#include "base/limits.h"
#include "db/statements.h"

#include <stdlib.h>

/* Failures that are looked up together, and entries of an account at one: if there are more, the
 * account's clients are notified that they missed some. */
enum { UNDER_WAY_MAX = 64, ENTRIES_MAX = 100 };

struct failure {
	struct failures *failures;
	int64_t generation;
	struct id app_id;
	struct str message;
	struct arena arena;
	struct db_query query;
};

static void tell_loss(struct failures *failures)
{
	const struct map_node *node = NULL;

	while ((node = map_next(&failures->listeners->accounts, node)))
		listeners_tell_loss(failures->listeners,
				    container_of(node, struct listener, by_account));
}

static void tell(struct failure *failure, const struct render_key_entries_row *row)
{
	struct listeners *listeners = failure->failures->listeners;
	struct listener *listener = listeners_find(listeners, row->account_id);

	if (listener && row->number > ENTRIES_MAX)
		listeners_tell_loss(listeners, listener);
	else if (listener)
		listeners_tell(listeners, listener,
			       &(struct event_hint){
				   .account_id = row->account_id,
				   .kind = EVENT_FAILED,
				   .device_id = row->device_id,
				   .generation = failure->generation,
				   .installation_id = row->id,
				   .app_id = failure->app_id,
				   .message = failure->message,
			       });
}

static void on_entries(struct db_query *query, const struct db_result *result)
{
	struct failure *failure = container_of(query, struct failure, query);
	const struct render_key_entries_row *rows = NULL;

	if (result->outcome == DB_OK)
		rows = db_read_rows(result, query->record, &failure->arena);
	for (unsigned i = 0; rows && i < result->row_count; i++)
		tell(failure, &rows[i]);
	if (result->outcome != DB_OK)
		tell_loss(failure->failures);
	failure->failures->under_way--;
	arena_finish(&failure->arena);
	free(failure);
}

static struct db_ids account_ids(const struct listeners *listeners, struct arena *arena)
{
	struct id *ids = arena_alloc(arena, listeners->accounts.count * sizeof(*ids));
	const struct map_node *node = NULL;
	unsigned count = 0;

	while ((node = map_next(&listeners->accounts, node)))
		ids[count++] = container_of(node, struct listener, by_account)->account_id;
	return (struct db_ids){ids, count};
}

void failures_note(struct failures *failures, const uint8_t render_key[static RENDER_KEY_BYTES],
		   int64_t generation, struct id app_id, struct str message)
{
	struct failure *failure;

	if (failures->listeners->accounts.count == 0 || failures->listeners->has_ended)
		return;
	if (failures->under_way == UNDER_WAY_MAX) {
		tell_loss(failures);
		return;
	}
	failure = memory_zalloc(sizeof(*failure));
	failures->under_way++;
	failure->failures = failures;
	failure->generation = generation;
	failure->app_id = app_id;
	failure->message = arena_copy(&failure->arena, message);
	db_query_init(&failure->query, &failure->arena);
	statement_render_key_entries(
	    &failure->query,
	    &(struct render_key_entries_parameters){
		.render_key = arena_copy(&failure->arena,
					 (struct str){(const char *)render_key, RENDER_KEY_BYTES}),
		.account_ids = account_ids(failures->listeners, &failure->arena),
		.most = ENTRIES_MAX + 1,
	    },
	    NULL);
	failure->query.done = on_entries;
	db_submit(failures->db, &failure->query);
}
