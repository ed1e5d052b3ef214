#include "panel_links.h"
#include "base/clock.h"

enum { AGAIN_MS = 10 };

static bool write_link(const struct panel_links *links, const struct panel_link *link)
{
	return link->is_linked ? cursor_link(links->cursors, link->device_id)
			       : cursor_unlink(links->cursors, link->device_id, link->left_us);
}

static void write_waiting(struct deadline *deadline)
{
	struct panel_links *links = container_of(deadline, struct panel_links, deadline);
	unsigned kept = 0;

	for (unsigned i = 0; i < links->waiting_count; i++)
		if (!write_link(links, &links->waiting[i]))
			links->waiting[kept++] = links->waiting[i];
	links->waiting_count = kept;
	if (kept)
		deadline_set(links->loop, &links->deadline, AGAIN_MS);
}

/* An older note of the panel must not be written after this one. */
static void forget(struct panel_links *links, struct id device_id)
{
	for (unsigned i = 0; i < links->waiting_count; i++)
		if (id_equal(links->waiting[i].device_id, device_id)) {
			links->waiting[i] = links->waiting[--links->waiting_count];
			return;
		}
}

static void note(struct panel_links *links, struct panel_link link)
{
	forget(links, link.device_id);
	if (write_link(links, &link) || links->waiting_count == PANEL_LINKS_WAITING_MAX)
		return;
	links->waiting[links->waiting_count++] = link;
	if (!deadline_is_set(&links->deadline))
		deadline_set(links->loop, &links->deadline, AGAIN_MS);
}

void panel_links_init(struct panel_links *links)
{
	deadline_init(&links->deadline, write_waiting);
	links->waiting_count = 0;
}

void panel_links_finish(struct panel_links *links)
{
	deadline_clear(links->loop, &links->deadline);
}

void panel_links_open(struct panel_links *links, struct id device_id)
{
	note(links, (struct panel_link){.device_id = device_id, .is_linked = true});
}

void panel_links_end(struct panel_links *links, struct id device_id)
{
	note(links, (struct panel_link){.device_id = device_id, .left_us = clock_wall_us()});
}
