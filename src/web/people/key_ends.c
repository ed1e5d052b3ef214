#include "key_ends.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/statements.h"

#include <stdlib.h>

enum { LOOK_MS = 5 * 1000, MORE_MS = 20 };

struct key_ends {
	struct loop *loop;
	struct db *db;
	struct deadline next;
	struct arena arena; /* of the query under way */
	struct db_query query;
	struct key_end_next_row row;
	bool is_draining;
};

static void look_after(struct key_ends *ends, uint64_t ms)
{
	if (!ends->is_draining)
		deadline_set(ends->loop, &ends->next, ms);
}

static void on_ended(struct db_query *query, const struct db_result *result)
{
	struct key_ends *ends = container_of(query, struct key_ends, query);
	bool has_found = result->outcome == DB_OK && result->row_count == 1;
	char key[ID_TEXT_LENGTH + 1];

	if (has_found) {
		db_read_row(result, 0, query->record, &ends->arena, &ends->row);
		id_format(ends->row.id, key);
		if (ends->row.ended)
			log_info("web", "ended what a key has set up", LOG_TEXT("key", key),
				 LOG_INT("count", ends->row.ended));
	}
	arena_finish(&ends->arena);
	look_after(ends, has_found ? MORE_MS : LOOK_MS);
}

static void look(struct deadline *deadline)
{
	struct key_ends *ends = container_of(deadline, struct key_ends, next);

	if (!db_is_up(ends->db)) {
		look_after(ends, LOOK_MS);
		return;
	}
	ends->arena = (struct arena){0};
	db_query_init(&ends->query, &ends->arena);
	statement_key_end_next(&ends->query, &ends->row);
	ends->query.done = on_ended;
	db_submit(ends->db, &ends->query);
}

struct key_ends *key_ends_create(struct loop *loop, struct db *db)
{
	struct key_ends *ends = memory_zalloc(sizeof(*ends));

	ends->loop = loop;
	ends->db = db;
	deadline_init(&ends->next, look);
	look_after(ends, LOOK_MS);
	return ends;
}

void key_ends_destroy(struct key_ends *ends)
{
	deadline_clear(ends->loop, &ends->next);
	free(ends);
}

void key_ends_drain(struct key_ends *ends)
{
	ends->is_draining = true;
	deadline_clear(ends->loop, &ends->next);
}
