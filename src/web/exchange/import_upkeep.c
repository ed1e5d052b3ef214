#include "import_upkeep.h"
#include "base/memory.h"
#include "db/statements.h"

#include <stdlib.h>

enum { LOOK_MS = 60 * 1000, PAUSE_MS = 50, PORTION_ROWS = 1000, PORTION_BYTES = 8 << 20 };

struct import_upkeep {
	struct loop *loop;
	struct db *db;
	struct deadline next;
	struct arena arena; /* of the query under way */
	struct db_query query;
	int64_t rows; /* rows of a portion: fewer after a failure */
	bool is_asking;
	bool is_draining;
};

static void wait(struct import_upkeep *upkeep, uint64_t ms)
{
	if (!upkeep->is_draining)
		deadline_set(upkeep->loop, &upkeep->next, ms);
}

static void on_removed(struct db_query *query, const struct db_result *result)
{
	struct import_upkeep *upkeep = container_of(query, struct import_upkeep, query);
	bool is_more = result->outcome == DB_OK && result->row_count > 0;

	if (result->outcome == DB_OK)
		upkeep->rows = PORTION_ROWS;
	else
		upkeep->rows = upkeep->rows > 8 ? upkeep->rows / 8 : 1;

	arena_finish(&upkeep->arena);
	upkeep->is_asking = false;
	wait(upkeep, is_more ? PAUSE_MS : LOOK_MS);
}

static void look(struct deadline *deadline)
{
	struct import_upkeep *upkeep = container_of(deadline, struct import_upkeep, next);

	if (!db_is_up(upkeep->db)) {
		wait(upkeep, LOOK_MS);
		return;
	}
	upkeep->arena = (struct arena){0};
	db_query_init(&upkeep->query, &upkeep->arena);
	statement_account_import_trim(&upkeep->query,
				      &(struct account_import_trim_parameters){
					  .row_limit = upkeep->rows, .byte_limit = PORTION_BYTES},
				      NULL);
	upkeep->query.done = on_removed;
	upkeep->is_asking = true;
	db_submit(upkeep->db, &upkeep->query);
}

struct import_upkeep *import_upkeep_create(struct loop *loop, struct db *db)
{
	struct import_upkeep *upkeep = memory_zalloc(sizeof(*upkeep));

	upkeep->loop = loop;
	upkeep->db = db;
	upkeep->rows = PORTION_ROWS;
	deadline_init(&upkeep->next, look);
	wait(upkeep, LOOK_MS);
	return upkeep;
}

void import_upkeep_destroy(struct import_upkeep *upkeep)
{
	deadline_clear(upkeep->loop, &upkeep->next);
	free(upkeep);
}

void import_upkeep_look(struct import_upkeep *upkeep)
{
	if (!upkeep->is_asking)
		wait(upkeep, 0);
}

void import_upkeep_drain(struct import_upkeep *upkeep)
{
	upkeep->is_draining = true;
	deadline_clear(upkeep->loop, &upkeep->next);
}
