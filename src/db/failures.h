/* Counts queries that have not done what they were to do. */
#pragma once

#include "db/query.h"
#include "metric/metric.h"

/* Once for each query, where its outcome is settled. */
static inline void failures_count(enum db_outcome outcome)
{
	if (outcome != DB_OK)
		metric_add(METRIC_DATABASE_FAILURES,
			   outcome == DB_REFUSED  ? METRIC_DATABASE_REFUSED
			   : outcome == DB_FAILED ? METRIC_DATABASE_FAILED
						  : METRIC_DATABASE_AWAY,
			   1);
}
