#include "task/key_uses.h"
#include "base/memory.h"
#include "db/statements.h"

#include <stdlib.h>

enum { WAITING_MAX = 4096, WRITE_MS = 1000 };

struct key_uses {
	struct loop *loop;
	struct db *db;
	struct deadline deadline;
	struct id waiting[WAITING_MAX];
	unsigned count;
	struct arena arena; /* arena of the write under way */
	struct db_query query;
	bool is_writing;
	bool is_draining;
};

static void on_written(struct db_query *query, const struct db_result *result)
{
	struct key_uses *uses = container_of(query, struct key_uses, query);

	(void)result; /* the next use is written anyway */
	arena_finish(&uses->arena);
	uses->is_writing = false;
	if (uses->count && !uses->is_draining)
		deadline_set(uses->loop, &uses->deadline, WRITE_MS);
}

static void write_all(struct key_uses *uses)
{
	if (uses->count == 0 || uses->is_writing)
		return;
	uses->arena = (struct arena){0};
	db_query_init(&uses->query, &uses->arena);
	/* The query has a copy. */
	statement_key_used(&uses->query,
			   &(struct key_used_parameters){.ids = {uses->waiting, uses->count}});
	uses->query.done = on_written;
	uses->count = 0;
	uses->is_writing = true;
	db_submit(uses->db, &uses->query);
}

static void key_uses_on_deadline(struct deadline *deadline)
{
	write_all(container_of(deadline, struct key_uses, deadline));
}

struct key_uses *key_uses_create(struct loop *loop, struct db *db)
{
	struct key_uses *uses = memory_zalloc(sizeof(*uses));

	uses->loop = loop;
	uses->db = db;
	deadline_init(&uses->deadline, key_uses_on_deadline);
	return uses;
}

void key_uses_destroy(struct key_uses *uses)
{
	deadline_clear(uses->loop, &uses->deadline);
	free(uses);
}

void key_uses_note(struct key_uses *uses, struct id key_id)
{
	if (uses->is_draining || uses->count == WAITING_MAX)
		return;
	for (unsigned i = uses->count; i > 0 && i + 16 > uses->count; i--) {
		/* Requests of one key often come together. */
		if (id_equal(uses->waiting[i - 1], key_id))
			return;
	}
	uses->waiting[uses->count++] = key_id;
	if (!uses->is_writing && !deadline_is_set(&uses->deadline))
		deadline_set(uses->loop, &uses->deadline, WRITE_MS);
}

void key_uses_drain(struct key_uses *uses)
{
	deadline_clear(uses->loop, &uses->deadline);
	write_all(uses);
	uses->is_draining = true;
}
