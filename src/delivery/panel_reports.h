/* Stores reports of panels about themselves, with a delay and many at once: see
 * domain/panel_report.h. A device without a MAC address gets that of its panel, if no other device
 * has it. Reports without room are dropped: a panel sends them again at its next connection. */
#pragma once

#include "db/db.h"
#include "domain/panel_report.h"
#include "loop/loop.h"
#include "task/rate.h"

struct panel_reports {
	struct loop *loop;
	struct db *db;
	struct deadline deadline;
	struct list waiting; /* of struct report, oldest first */
	unsigned count;
	unsigned under_way; /* writes under way */
	bool is_draining;
};

/* Set loop and db before, and zero the rest. */
void panel_reports_init(struct panel_reports *reports);
/* Call it when no write is under way. */
void panel_reports_finish(struct panel_reports *reports);
/* Writes waiting reports, and accepts none from now on. */
void panel_reports_drain(struct panel_reports *reports);

/* Whether a report is within the limit of the device. A panel reports again after each change of
 * its settings, and a report that differs from the previous one costs a write, and a hint to all
 * workers. */
bool panel_reports_may_take(struct rate_table *rates, struct id device_id);
/* Takes a report of this device's panel, which is copied. */
void panel_reports_take(struct panel_reports *reports, struct id device_id,
			const struct panel_report *report);
