#include "base/clock.h"
#include "base/require.h"
#include "delivery_private.h"

#include <stdlib.h>

/* Panels that are looked at to make room for one. */
enum { LOOKED_AT = 16 };

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

struct panel *panel_find(struct delivery *delivery, struct id id)
{
	struct map_node *node = map_find(&delivery->panels, id_view(&id));

	return node ? container_of(node, struct panel, by_id) : NULL;
}

static bool is_unused(const struct panel *panel)
{
	return !panel_is_loading(panel) && !panel->fetch && panel->pins == 0 &&
	       list_is_empty(&panel->sessions) && list_is_empty(&panel->searches) &&
	       panel->seen_us == 0;
}

static void make_room(struct delivery *delivery)
{
	if (delivery->panels.count < delivery->limits.panels &&
	    delivery->picture_bytes < delivery->limits.picture_bytes)
		return;
	for (unsigned i = 0; i < LOOKED_AT && !list_is_empty(&delivery->by_use); i++) {
		struct panel *panel = container_of(delivery->by_use.next, struct panel, by_use);

		if (is_unused(panel)) {
			panel_destroy(panel);
			return;
		}
		panel_touch(panel);
	}
}

struct panel *panel_create(struct delivery *delivery, struct id id)
{
	struct panel *panel;

	make_room(delivery);
	panel = memory_zalloc(sizeof(*panel));
	panel->delivery = delivery;
	panel->id = id;
	list_init(&panel->sessions);
	list_init(&panel->searches);
	list_init(&panel->by_use);
	list_init(&panel->to_load);
	map_insert(&delivery->panels, &panel->by_id, id_view(&panel->id));
	panel_touch(panel);
	return panel;
}

void panel_destroy(struct panel *panel)
{
	struct delivery *delivery = panel->delivery;

	require(panel->state != PANEL_GONE);
	panel->state = PANEL_GONE;
	/* First: nobody can find it while the searches are answered. */
	map_remove(&delivery->panels, &panel->by_id);
	list_remove(&panel->by_use);
	list_remove(&panel->to_load);
	panel_answer_searches(panel);
	panel_drop_sessions(panel);
	content_finish(delivery, &panel->content);
	panel_free_if_gone(panel);
}

void panel_free_if_gone(struct panel *panel)
{
	if (panel->state == PANEL_GONE && !panel->load && !panel->fetch && panel->pins == 0)
		free(panel);
}

void panel_touch(struct panel *panel)
{
	if (panel->state == PANEL_GONE)
		return;
	panel->used_ms = loop_now_ms(panel->delivery->loop);
	list_remove(&panel->by_use);
	list_append(&panel->delivery->by_use, &panel->by_use);
}

void panel_seen(struct panel *panel)
{
	panel->seen_us = clock_wall_us();
}

void panel_changed(struct panel *panel)
{
	list_for_each (node, &panel->sessions)
		budgeted_queue_add(&panel->delivery->updates,
				   &container_of(node, struct session, node)->update);
}

void panels_expire(struct delivery *delivery)
{
	uint64_t now_ms = loop_now_ms(delivery->loop);

	/* What is touched goes to the end, and is young then. */
	while (!list_is_empty(&delivery->by_use)) {
		struct panel *panel = container_of(delivery->by_use.next, struct panel, by_use);

		if (now_ms - panel->used_ms < delivery->limits.unused_ms)
			return;
		if (is_unused(panel))
			panel_destroy(panel);
		else
			panel_touch(panel);
	}
}

struct id panel_id(const struct panel *panel)
{
	return panel->id;
}
