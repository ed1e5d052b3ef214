/* A device and its installations as rows of the database, on their way into a panel. */
#pragma once

#include "db/statements.h"
#include "panels.h"

struct installation_rows {
	const struct panel_installations_row *rows;
	unsigned count;
};

/* Takes over what was loaded, in place of what the panel had. True: links that were allowed before
 * are no longer, because the key is another one or the device was disabled. */
bool panel_apply(struct panel *panel, const struct panel_load_row *row,
		 const struct installation_rows *installations);
