/* Findings about the server, in words for an administrator: a problem, and what to do about it.
 * None: all is well. Its limits are those of displayctl status and of the alerts
 * (share/prometheus/displayd.rules.yml). */
#pragma once

#include "db/statements.h"
#include "metric/read.h"

#include <text/str.h>

struct findings_source {
	const struct instance_database_row *database;
	const struct metric_sums *sums;
	struct str rendering_problem, storage_problem; /* data is NULL: none */
	unsigned workers_away, workers_without_database;
	int64_t now_us;
	int64_t clock_ahead_us; /* of this machine, ahead of the database's */
};

/* Returns a JSON array of findings, in the arena. */
struct str findings_write(const struct findings_source *source, struct arena *arena);
