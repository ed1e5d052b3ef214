/* Views of the panels of this worker. */
#pragma once

#include "delivery/view_subscription.h"
#include "panel_connections.h"

/* Last report on a panel. */
struct panel_view_sent {
	struct shown shown;
	struct view_picture now, next; /* without their installations */
};

/* Whether the panel polls, as far as this worker knows: it may have polled at another one since. */
bool panel_is_polling(const struct panel *panel);
/* Whether the panel is at this worker. NULL: it is not. */
bool panel_is_here(const struct panel *panel);
/* Returns what the newest connection shows, else the last poll. *ret_rank_us: when that connection
 * or poll began. */
struct shown panel_look(struct panel *panel, struct playback_clock clock, int64_t *ret_rank_us);
/* Returns the view of what panel_look() found. sent: the last report; NULL: there was none. */
struct panel_view panel_view_of(const struct panel_view_sent *sent, struct panel *panel,
				const struct shown *shown, int64_t rank_us,
				struct playback_clock clock);
