/* Makes a panel's content from the rows of its device and installations. */
#pragma once

#include "db/statements.h"
#include "panels.h"

struct installation_rows {
	const struct panel_installations_row *rows;
	unsigned count;
};

/* Replaces the panel's content by the loaded rows. Returns true if its connections are no longer
 * allowed, because the key has changed or the device was disabled. */
bool panel_apply(struct panel *panel, const struct panel_load_row *row,
		 const struct installation_rows *installations);
