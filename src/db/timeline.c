#include "db/timeline.h"

#include <stdlib.h>

const struct region timeline_region = {
    .name = "timeline", .version = 1, .size = sizeof(struct timeline_known)};

struct timeline timeline_get(const struct timeline_known *known)
{
	return (struct timeline){atomic_load(&known->system), atomic_load(&known->number)};
}

void timeline_set(struct timeline_known *known, struct timeline timeline)
{
	atomic_store(&known->number, timeline.number);
	atomic_store(&known->system, timeline.system);
}

enum timeline_rank timeline_note(struct timeline_known *known, struct timeline timeline)
{
	uint64_t system = 0;
	uint32_t number = atomic_load(&known->number);

	if (timeline.system == 0)
		return TIMELINE_CURRENT;
	if (!atomic_compare_exchange_strong(&known->system, &system, timeline.system) &&
	    system != timeline.system)
		return TIMELINE_OTHER;
	while (number < timeline.number)
		if (atomic_compare_exchange_weak(&known->number, &number, timeline.number))
			return TIMELINE_CURRENT;
	return number > timeline.number ? TIMELINE_OLD : TIMELINE_CURRENT;
}

struct timeline timeline_read(const PGresult *result, int column)
{
	struct timeline timeline = {0};

	if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) < 1 ||
	    PQnfields(result) < column + 2)
		return timeline;
	timeline.system = (uint64_t)strtoll(PQgetvalue(result, 0, column), NULL, 10);
	timeline.number = (uint32_t)strtoul(PQgetvalue(result, 0, column + 1), NULL, 10);
	return timeline;
}
