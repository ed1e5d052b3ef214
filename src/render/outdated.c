#include "outdated.h"
#include "db/statements.h"
#include "render/engine.h"

enum {
	PORTION = 200,
	START_MS = 5 * 1000,
	BETWEEN_MS = 500,
	AGAIN_MS = 20 * 1000,
	ONCE_MORE_MS = 15 * 60 * 1000
};

static void on_due(struct db_query *query, const struct db_result *result)
{
	struct outdated *outdated = container_of(query, struct outdated, query);
	unsigned count = result->outcome == DB_OK ? result->row_count : 0;

	for (unsigned i = 0; i < count && !outdated->is_draining; i++) {
		struct render_outdated_row row = {0};

		db_read_row(result, i, query->record, &outdated->arena, &row);
		delivery_rendered(outdated->delivery, (const uint8_t *)row.render_key.data,
				  row.generation);
	}
	arena_finish(&outdated->arena);
	if (outdated->is_draining)
		return;
	if (result->outcome != DB_OK)
		deadline_set(outdated->loop, &outdated->next, AGAIN_MS);
	else if (count)
		deadline_set(outdated->loop, &outdated->next, BETWEEN_MS);
	else if (!outdated->was_last) {
		/* Workers of the previous program may still be running. */
		outdated->was_last = true;
		deadline_set(outdated->loop, &outdated->next, ONCE_MORE_MS);
	}
}

static void on_next(struct deadline *deadline)
{
	struct outdated *outdated = container_of(deadline, struct outdated, next);

	if (!db_is_up(outdated->db)) {
		deadline_set(outdated->loop, deadline, START_MS);
		return;
	}
	db_query_init(&outdated->query, &outdated->arena);
	statement_render_outdated(&outdated->query,
				  &(struct render_outdated_parameters){
				      .engine = str_from(engines_version()), .row_limit = PORTION},
				  NULL);
	outdated->query.done = on_due;
	db_submit(outdated->db, &outdated->query);
}

void outdated_start(struct outdated *outdated)
{
	deadline_init(&outdated->next, on_next);
	deadline_set(outdated->loop, &outdated->next, START_MS);
}

void outdated_drain(struct outdated *outdated)
{
	outdated->is_draining = true;
	deadline_clear(outdated->loop, &outdated->next);
}
