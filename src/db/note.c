#include "db/note.h"

#include <stdlib.h>

static void on_done(struct db_query *query, const struct db_result *result)
{
	struct db_note *note = container_of(query, struct db_note, query);

	(void)result;
	arena_finish(&note->arena);
	free(note);
}

struct db_note *db_note_new(void)
{
	struct db_note *note = memory_zalloc(sizeof(*note));

	db_query_init(&note->query, &note->arena);
	note->query.done = on_done;
	return note;
}

void db_note_send(struct db *db, struct db_note *note)
{
	db_submit(db, &note->query);
}
