#include "stored_push.h"
#include "base/clock.h"

#include <string.h>

/* Adds an installation, whose creation number is the generation of its push, as in the database.
 * Its place is the end of the rotation, unless the installations were read later than the device's
 * generation. */
static struct content_installation *add_installation(struct content *content, struct str id,
						     int64_t position)
{
	unsigned count = content->installation_count;
	unsigned index = count;
	struct content_installation *installations;

	installations =
	    memory_realloc(content->installations, (count + 1) * sizeof(installations[0]));
	while (index > 0 && installations[index - 1].position > position)
		index--;
	memmove(&installations[index + 1], &installations[index],
		(count - index) * sizeof(installations[0]));
	installations[index] = panel_new_installation(id, position);
	content->installations = installations;
	content->installation_count++;
	return &installations[index];
}

static struct content_installation *find_installation(struct content *content, struct str id)
{
	for (unsigned i = 0; i < content->installation_count; i++) {
		if (str_equal(content->installations[i].id, id))
			return &content->installations[i];
	}
	return NULL;
}

static void show(struct panel *panel, const struct content_push *push)
{
	pictures_release(panel->panels->pictures, &panel->content.push.picture);
	panel->content.push = *push;
	panel_recall_push(panel);
}

/* The push must be newer than the last turn, whose time is from the database's clock. */
static int64_t created_us(const struct content *content)
{
	int64_t now_us = clock_wall_us();

	return now_us > content->turned_us ? now_us : content->turned_us;
}

static void take_temporary(struct panel *panel, const struct stored_push *stored)
{
	struct content_push push = {
	    .generation = stored->generation,
	    .installation_position = -1,
	    .picture = pictures_keep(panel->panels->pictures, panel->share, stored->picture),
	    .is_held = stored->is_held,
	    .is_waking = stored->is_waking,
	    .duration_s = (int32_t)stored->duration_s,
	    .created_us = created_us(&panel->content),
	};

	show(panel, &push);
}

/* The worker's clock counts the time from now on: it may differ from the database's. */
static void set_end(struct content *content, struct content_installation *installation,
		    int64_t in_ms)
{
	installation->expires_us = in_ms ? clock_wall_us() + in_ms * 1000 : 0;
	content->has_ends |= in_ms > 0;
}

static void take_installation(struct panel *panel, const struct stored_push *stored)
{
	struct pictures *pictures = panel->panels->pictures;
	struct content *content = &panel->content;
	struct content_installation *installation =
	    find_installation(content, stored->installation_id);
	struct content_push push = {
	    .generation = stored->generation,
	    .is_installation = true,
	    .is_held = stored->is_held,
	    .is_waking = stored->is_waking,
	    .duration_s = content->settings.schedule_interval_s,
	    .created_us = created_us(content),
	};

	if (!installation)
		installation =
		    add_installation(content, stored->installation_id, stored->generation);
	/* The picture may be newer than this push, if it was read later than the device. */
	if (installation->picture_generation < stored->generation) {
		pictures_release(pictures, &installation->picture);
		installation->picture = pictures_keep(pictures, panel->share, stored->picture);
		installation->picture_generation = stored->generation;
		set_end(content, installation, stored->expires_in_ms);
	}
	push.installation_position = installation->position;
	if (!stored->in_background)
		show(panel, &push);
}

bool panel_take_push(struct panel *panel, const struct stored_push *push)
{
	if (panel->state != PANEL_READY || panel->generation != push->generation - 1 ||
	    panel->wanted_generation > push->generation || panel_is_loading(panel))
		return false;
	if (push->installation_id.data)
		take_installation(panel, push);
	else
		take_temporary(panel, push);
	panel->generation = push->generation;
	return true;
}
