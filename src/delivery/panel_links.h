/* WebSockets of panels in the cursor table. A slot that another worker is writing, or was writing
 * when it died, takes no note: it is written again some milliseconds later, so that no panel stays
 * connected, or away, for other workers. */
#pragma once

#include "delivery/cursor_table.h"
#include "loop/loop.h"

enum {
	/* Maximum number of panels whose note waits: there are few, as each worker writes one slot
	 * at a time. The note of a further one is lost. */
	PANEL_LINKS_WAITING_MAX = 64,
};

/* The last note of a panel. */
struct panel_link {
	struct id device_id;
	bool is_linked;
	int64_t left_us; /* wall clock: when its WebSocket ended */
};

struct panel_links {
	struct loop *loop;
	const struct cursors *cursors;
	struct deadline deadline;
	unsigned waiting_count;
	struct panel_link waiting[PANEL_LINKS_WAITING_MAX];
};

/* Set loop and cursors before. */
void panel_links_init(struct panel_links *links);
void panel_links_finish(struct panel_links *links);

/* Notes that the panel has opened its first WebSocket to this worker, or that its last one has
 * ended now. */
void panel_links_open(struct panel_links *links, struct id device_id);
void panel_links_end(struct panel_links *links, struct id device_id);
