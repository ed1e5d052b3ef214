/* Finds the apps that come next on each panel that is online and not dark, and demands their
 * renders: shortly before their turn, so that clocks are right, and at once if an app was never
 * rendered. */
#pragma once

#include "delivery/upcoming.h"
#include "panel_connections.h"
#include "render_keys.h"

struct upcoming {
	struct loop *loop;
	const struct cursors *cursors;
	struct upcoming_subscriber *subscriber; /* NULL: no renders */
	bool is_draining;
};

/* Call it when the panel shows something else, or was loaded. */
void upcoming_look(struct upcoming *upcoming, struct panel *panel);
/* Stops looking at the panel, for panels->on_gone(). */
void upcoming_forget(struct upcoming *upcoming, struct panel *panel);
