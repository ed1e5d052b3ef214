#include "base/limits.h"
#include "base/require.h"
#include "delivery_private.h"

#include <stdlib.h>

static void on_device_hint(struct hint_subscription *hints, struct str text)
{
	struct delivery *delivery = container_of(hints, struct delivery, device_hints);
	int64_t generation;
	struct id id;

	if (delivery_parse_hint(text, &id, &generation))
		delivery_panel_changed(delivery, id, generation);
}

static void on_hints_up(struct hint_subscription *hints, bool up)
{
	struct delivery *delivery = container_of(hints, struct delivery, device_hints);

	if (delivery->is_draining)
		return;
	if (up)
		sweep_now(delivery);
	sweep_start(delivery);
}

struct delivery *delivery_create(struct loop *loop, struct db *db, struct cursor_table *cursors)
{
	struct delivery *delivery = memory_zalloc(sizeof(*delivery));

	delivery->loop = loop;
	delivery->db = db;
	delivery->cursors = cursors;
	delivery->limits = (struct delivery_limits){
	    .picture_bytes = LIMIT_PICTURE_MEMORY,
	    .panels = LIMIT_PANELS,
	    .sweep_ms = 30 * 1000,
	    .seen_ms = 20 * 1000,
	    .unused_ms = 15 * 60 * 1000,
	};
	list_init(&delivery->by_use);
	budgeted_queue_init(&delivery->updates, loop, session_on_update);
	loads_start(delivery);
	turns_init(delivery);
	ledger_start(delivery);
	sweep_start(delivery);
	delivery->device_hints = (struct hint_subscription){
	    .kind = "device",
	    .on_hint = on_device_hint,
	    .on_up = on_hints_up,
	};
	db_subscribe(db, &delivery->device_hints);
	return delivery;
}

void delivery_set_limits(struct delivery *delivery, const struct delivery_limits *limits)
{
	struct delivery_limits *own = &delivery->limits;

	if (limits->picture_bytes)
		own->picture_bytes = limits->picture_bytes;
	if (limits->panels)
		own->panels = limits->panels;
	if (limits->sweep_ms)
		own->sweep_ms = limits->sweep_ms;
	if (limits->seen_ms)
		own->seen_ms = limits->seen_ms;
	if (limits->unused_ms)
		own->unused_ms = limits->unused_ms;
	ledger_start(delivery);
	sweep_start(delivery);
}

void panel_drop_sessions(struct panel *panel)
{
	while (!list_is_empty(&panel->sessions))
		session_drop(container_of(panel->sessions.next, struct session, node));
}

void delivery_drain(struct delivery *delivery)
{
	delivery->is_draining = true;
	ledger_flush(delivery);
	ledger_stop(delivery);
	sweep_stop(delivery);
	/* Dropping its sessions moves a panel to the end, behind those that come here still. */
	list_for_each (node, &delivery->by_use)
		panel_drop_sessions(container_of(node, struct panel, by_use));
}

void delivery_destroy(struct delivery *delivery)
{
	if (!delivery)
		return;
	db_unsubscribe(&delivery->device_hints);
	ledger_stop(delivery);
	sweep_stop(delivery);
	while (!list_is_empty(&delivery->by_use))
		panel_destroy(container_of(delivery->by_use.next, struct panel, by_use));
	require(delivery->writes_under_way == 0 && delivery->loads_under_way == 0);
	require(delivery->pictures.count == 0);
	budgeted_queue_finish(&delivery->updates);
	loads_stop(delivery);
	map_finish(&delivery->panels);
	map_finish(&delivery->pictures);
	aliases_finish(delivery);
	turns_finish(delivery);
	free(delivery);
}

void delivery_panel_changed(struct delivery *delivery, struct id device_id, int64_t generation)
{
	struct panel *panel = panel_find(delivery, device_id);

	if (!panel || generation <= panel->generation)
		return;
	/* Where it is loading already, what comes may be older than this. */
	if (generation > panel->wanted_generation)
		panel->wanted_generation = generation;
	if (panel->state == PANEL_READY)
		panel_load_start(panel);
}

void delivery_hint(struct delivery *delivery, const char *kind, struct id id, int64_t generation)
{
	char text[ID_TEXT_LENGTH + 1];
	struct arena arena = {0};

	id_format(id, text);
	db_hint(delivery->db,
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
