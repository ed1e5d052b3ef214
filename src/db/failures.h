/* Counts failed queries. */
#pragma once

#include "db/query.h"
#include "db/storage.h"
#include "metric/metric.h"

/* Call it once for each query, when its outcome is final; DB_STALE, which is none, does not count.
 * storage: may be NULL. */
static inline void failures_count(enum db_outcome outcome, const struct storage *storage)
{
	bool is_full = outcome == DB_UNAVAILABLE && storage && storage_has_no_room(storage);

	if (outcome != DB_OK && outcome != DB_STALE)
		metric_add(METRIC_DATABASE_FAILURES,
			   is_full		      ? METRIC_DATABASE_FULL
			   : outcome == DB_CONSTRAINT ? METRIC_DATABASE_REFUSED
			   : outcome == DB_FAILED     ? METRIC_DATABASE_FAILED
						      : METRIC_DATABASE_UNAVAILABLE,
			   1);
}
