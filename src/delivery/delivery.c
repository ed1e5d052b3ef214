#include "base/clock.h"
#include "base/require.h"
#include "delivery_private.h"

#include <stdlib.h>

struct delivery *delivery_create(struct service *service, struct cursor_table *cursors)
{
	struct delivery *delivery = memory_zalloc(sizeof(*delivery));

	delivery->service = service;
	delivery->cursors = cursors;
	list_init(&delivery->by_use);
	turns_init(delivery);
	ledger_start(delivery);
	sweep_start(delivery);
	return delivery;
}

void delivery_drain(struct delivery *delivery)
{
	delivery->is_draining = true;
	ledger_flush(delivery);
	ledger_stop(delivery);
	sweep_stop(delivery);
	list_for_each (node, &delivery->by_use) {
		struct panel *panel = container_of(node, struct panel, by_use);

		list_for_each (session, &panel->sessions)
			session_drop(container_of(session, struct session, node));
	}
}

void delivery_destroy(struct delivery *delivery)
{
	if (!delivery)
		return;
	ledger_stop(delivery);
	sweep_stop(delivery);
	while (!list_is_empty(&delivery->by_use))
		panel_destroy(container_of(delivery->by_use.next, struct panel, by_use));
	require(delivery->writes_under_way == 0);
	map_finish(&delivery->panels);
	aliases_finish(delivery);
	turns_finish(delivery);
	free(delivery);
}

void delivery_panel_changed(struct delivery *delivery, struct id device_id, int64_t generation)
{
	struct panel *panel = panel_find(delivery, device_id);

	if (!panel || panel->state != PANEL_READY || generation <= panel->generation)
		return;
	if (generation > panel->wanted_generation)
		panel->wanted_generation = generation;
	panel_load_start(panel);
}

void delivery_hint(struct delivery *delivery, const char *kind, struct id id, int64_t generation)
{
	char text[ID_TEXT_LENGTH + 1];
	struct arena arena = {0};

	id_format(id, text);
	db_hint(delivery->service->db,
		arena_printf(&arena, "%s:%s:%lld", kind, text, (long long)generation));
	arena_finish(&arena);
}

void delivery_device_changed(struct delivery *delivery, struct id device_id, int64_t generation)
{
	delivery_panel_changed(delivery, device_id, generation);
	delivery_hint(delivery, "device", device_id, generation);
}

void delivery_app_changed(struct delivery *delivery, struct id app_id, int64_t generation)
{
	delivery_hint(delivery, "app", app_id, generation);
}

bool delivery_parse_hint(struct str text, struct id *ret_id, int64_t *ret_generation)
{
	unsigned long long generation;

	if (text.length <= ID_TEXT_LENGTH || text.data[ID_TEXT_LENGTH] != ':' ||
	    !id_parse((struct str){text.data, ID_TEXT_LENGTH}, ret_id) ||
	    !str_to_uint64(str_from_offset(text, ID_TEXT_LENGTH + 1), INT64_MAX, &generation))
		return false;
	*ret_generation = (int64_t)generation;
	return true;
}

void delivery_on_hint(struct delivery *delivery, struct str text)
{
	int64_t generation;
	struct id id;

	if (delivery_parse_hint(text, &id, &generation))
		delivery_panel_changed(delivery, id, generation);
}

void delivery_on_hints_up(struct delivery *delivery, bool up)
{
	if (up && !delivery->is_draining)
		sweep_now(delivery);
}

struct poll_picture delivery_poll(struct delivery *delivery, struct panel *panel)
{
	struct poll_cursor cursor = cursor_get(delivery->cursors, panel->id);
	int64_t wall_us = clock_wall_us();
	struct poll_answer answer = poll_next(&cursor, &panel->content, wall_us);
	struct str webp = picture_of_item(panel, &answer.item);

	panel_touch(panel);
	panel_seen(panel);
	cursor_set(delivery->cursors, panel->id, &cursor);
	if (answer.is_push_displayed) {
		panel->content.push.displayed_us = wall_us;
		ledger_displayed(delivery, panel->id, answer.item.generation, wall_us);
	}
	if (!webp.data) {
		/* Not in memory: it is fetched for the next time. */
		panel_fetch_picture(panel, answer.item.position);
		webp = picture_nothing_to_show;
	}
	return (struct poll_picture){
	    .webp = webp, .brightness = answer.brightness, .dwell_s = answer.dwell_s};
}
