/* Looks, for each panel that is online and not dark, which apps come next, and tells which of them
 * are to be rendered: shortly before their turn, so that clocks are right, and at once where an app
 * was never rendered. */
#pragma once

#include "delivery/upcoming.h"
#include "panel_connections.h"
#include "render_keys.h"

struct upcoming {
	struct loop *loop;
	const struct cursors *cursors;
	struct upcoming_subscriber *subscriber; /* NULL: nobody renders */
	bool is_draining;
};

/* The panel shows something else, or was loaded. */
void upcoming_look(struct upcoming *upcoming, struct panel *panel);
/* Stops looking at the panel, for panels->on_gone(). */
void upcoming_forget(struct upcoming *upcoming, struct panel *panel);
