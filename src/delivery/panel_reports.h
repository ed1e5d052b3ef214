/* Keeps what panels tell of themselves, written behind and many at once: see
 * domain/panel_report.h. A device without a hardware address gets that of its panel, where nobody
 * else has it. What finds no room is dropped: a panel tells it again when it next connects. */
#pragma once

#include "db/db.h"
#include "domain/panel_report.h"
#include "loop/loop.h"

struct panel_reports {
	struct loop *loop;
	struct db *db;
	struct deadline deadline;
	struct list waiting; /* of struct report, oldest first */
	unsigned count;
	unsigned under_way; /* writes */
	bool is_draining;
};

/* The caller has set loop and db, and zeroed the rest. */
void panel_reports_init(struct panel_reports *reports);
/* No write is under way any more. */
void panel_reports_finish(struct panel_reports *reports);
/* Writes what waits, and takes nothing any more. */
void panel_reports_drain(struct panel_reports *reports);

/* The panel of this device has told that; it is copied. */
void panel_reports_take(struct panel_reports *reports, struct id device_id,
			const struct panel_report *report);
