/* View of a panel that is kept, with its texts. A zeroed one is valid and not known. */
#pragma once

#include "delivery/view_subscription.h"

struct known_view {
	bool is_known;
	struct panel_view view;
	char *texts; /* installations of the view */
};

/* Keeps a copy. Returns whether pages show anything else now. */
bool known_view_take(struct known_view *known, const struct panel_view *view);
/* Frees the texts. */
void known_view_finish(struct known_view *known);
