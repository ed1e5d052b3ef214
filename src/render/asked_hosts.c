#include "render/asked_hosts.h"
#include "db/statements.h"

#include <stdlib.h>

struct noting {
	struct arena arena;
	struct db_query query;
};

static void on_noted(struct db_query *query, const struct db_result *result)
{
	struct noting *noting = container_of(query, struct noting, query);

	(void)result;
	arena_finish(&noting->arena);
	free(noting);
}

void asked_hosts_note(struct db *db, struct id app_id, struct str hosts)
{
	struct noting *noting;

	if (hosts.length == 0)
		return;
	noting = memory_zalloc(sizeof(*noting));
	db_query_init(&noting->query, &noting->arena);
	statement_app_hosts_note(&noting->query,
				 &(struct app_hosts_note_parameters){
				     .app_id = app_id,
				     .hosts = arena_copy(&noting->arena, hosts),
				 },
				 NULL);
	noting->query.done = on_noted;
	db_submit(db, &noting->query);
}
