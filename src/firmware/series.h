/* Updates of all panels of an account, one after the other.
 *
 *   firmware_series_look: what has ended is settled, and whose turn it is
 *     -> checks -> firmware_series_step: devices are left out until a panel gets its URL
 *
 * All state is in the database, and each statement locks the series that it takes: so any worker of
 * any instance takes the next step, and no two take the same one. */
#pragma once

#include "db/db.h"
#include "db/statements.h"

struct delivery;
struct loop;

struct series {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct deadline look; /* set unless a query is under way */
	uint64_t look_ms;     /* loop time of look */
	struct arena arena;
	struct db_query query;
	struct firmware_series_look_row row;
	struct firmware_series_step_row step;
	struct id device_id; /* device of the step; none: it leaves out only */
	bool is_asking;
	bool is_draining;
};

void series_init(struct series *series, struct loop *loop, struct db *db,
		 struct delivery *delivery);
/* Looks at once: a series was started. */
void series_look_soon(struct series *series);
/* Takes no further step. */
void series_drain(struct series *series);
