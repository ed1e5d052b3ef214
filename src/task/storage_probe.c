#include "task/storage_probe.h"
#include "base/clock.h"
#include "db/db.h"
#include "db/statements.h"
#include "db/storage.h"
#include "task/service.h"

static void on_done(struct db_query *query, const struct db_result *result)
{
	struct storage_probe *probe = container_of(query, struct storage_probe, query);

	probe->is_under_way = false;
	arena_finish(&probe->arena);
	if (result->outcome == DB_OK)
		storage_probed(db_storage(probe->db), probe->mark);
}

bool storage_probe_says_room(struct service *service)
{
	struct storage *storage = db_storage(service->db);
	struct storage_probe *probe = &service->storage_probe;

	if (!storage_is_full(storage) && !storage_is_short(storage))
		return true;
	if (!probe->is_under_way &&
	    storage_wants_probe(storage, clock_monotonic_ms(), &probe->mark)) {
		probe->db = service->db;
		probe->is_under_way = true;
		db_query_init(&probe->query, &probe->arena);
		statement_storage_probe(&probe->query);
		probe->query.done = on_done;
		db_submit(service->db, &probe->query);
	}
	return !storage_is_full(storage);
}
