#include "base/hex.h"
#include "base/limits.h"
#include "change_hint.h"
#include "metric/metric.h"
#include "modules.h"

#include <stdlib.h>

/* ---- calls from one module to another ---- */

/* The follower's leader is gone, or could not be read: that shows when the follower is read, now or
 * at a reconciliation. */
static void on_follower_alone(void *context, struct panel *follower)
{
	struct delivery *delivery = context;

	follower->generation = 0;
	loader_load(&delivery->loader, follower);
	panel_connections_update(&delivery->connections, follower);
}

static void on_panel_gone(void *context, struct panel *panel)
{
	struct delivery *delivery = context;

	following_forget(panel, on_follower_alone, delivery);
	write_behind_forget(&delivery->write_behind, panel);
	upcoming_forget(&delivery->upcoming, panel);
	panel_drop_entries(panel);
	loader_forget(panel);
	lookups_forget(panel);
	lookups_answer(panel);
	panel_connections_drop(panel);
}

static void take_lead_view(struct panel_lead *lead)
{
	const struct panel_view *view =
	    lead->is_subscribed ? delivery_view(&lead->subscriber) : NULL;

	if (view && following_take_view(lead->leader, view))
		panel_connections_update_followers(lead->connections, lead->leader);
}

static void on_lead_view(struct view_subscriber *subscriber)
{
	take_lead_view(container_of(subscriber, struct panel_lead, subscriber));
}

/* The leader's panel is loaded by hints, as any other. */
static void on_lead_change(struct view_subscriber *subscriber, enum view_change change)
{
	(void)subscriber;
	(void)change;
}

/* Learns what the leader's panel shows, as long as a follower is in memory. */
static void on_led(void *context, struct panel *leader)
{
	struct delivery *delivery = context;
	struct panel_lead *lead = leader->lead;
	bool is_led = !list_is_empty(&lead->followers);

	lead->connections = &delivery->connections;
	lead->subscriber.on_view = on_lead_view;
	lead->subscriber.on_change = on_lead_change;
	/* A leader that is not loaded yet has no account. */
	if (is_led && !lead->is_subscribed)
		lead->is_subscribed = view_subscriptions_add(
		    &delivery->subscriptions, &lead->subscriber, leader->id,
		    container_of(lead->followers.next, struct panel_following, of_leader)
			->panel->share->account_id);
	if (is_led || !lead->is_subscribed)
		return;
	view_subscriptions_remove(&lead->subscriber);
	lead->is_subscribed = false;
}

static void answer_lookups(struct panel *panel)
{
	lookups_answer(panel);
	if (!panel->lead)
		return;
	list_for_each (node, &panel->lead->followers)
		lookups_answer(container_of(node, struct panel_following, of_leader)->panel);
}

static void on_loaded(void *context, struct panel *panel, enum load_outcome outcome)
{
	struct delivery *delivery = context;

	if (outcome == LOAD_LOCKED_OUT)
		panel_connections_drop_old(panel);
	if (outcome != LOAD_FAILED && panel_connections_have_moved(panel))
		orders_moved(&delivery->orders, panel); /* in case it could not be written before */
	if (panel->lead)
		take_lead_view(panel->lead); /* of an entry that was not known before */
	answer_lookups(panel);
	panel_connections_update(&delivery->connections, panel);
	if (outcome == LOAD_FAILED)
		reconciliation_soon(&delivery->reconciliation);
}

static void on_fetched(void *context, struct panel *panel, bool has_come)
{
	struct delivery *delivery = context;

	if (has_come) /* else connections try again at their next deadline */
		panel_connections_update(&delivery->connections, panel);
	answer_lookups(panel);
}

static void on_contact_end(void *context, struct panel *panel)
{
	struct delivery *delivery = context;

	panel_connections_update(&delivery->connections, panel);
	lookups_answer(panel);
}

static void on_order_taken(void *context, struct panel *panel)
{
	struct delivery *delivery = context;

	panel_connections_order(&delivery->connections, panel);
	lookups_answer(panel);
	panel_connections_update(&delivery->connections, panel); /* a newer order may wait */
}

static void on_firmware_taken(void *context, struct panel *panel, struct str settings)
{
	struct delivery *delivery = context;
	struct str messages[FIRMWARE_MESSAGES_MAX];
	struct arena arena = {0};
	unsigned count = firmware_messages(settings, &arena, messages);

	list_for_each (node, &panel->connections)
		for (unsigned i = 0; i < count; i++)
			websocket_send_text(
			    container_of(node, struct panel_connection, node)->websocket,
			    messages[i]);
	arena_finish(&arena);
	panel_connections_update(&delivery->connections, panel); /* newer settings may wait */
}

static void on_moved(void *context, struct id device_id, int64_t generation)
{
	delivery_device_changed(context, device_id, generation);
}

static void on_pushed(void *context, struct id device_id, int64_t generation)
{
	struct delivery *delivery = context;

	loader_pushed(&delivery->loader, device_id, generation);
}

static void on_rendered(void *context, struct panel *panel)
{
	struct delivery *delivery = context;

	panel_connections_update(&delivery->connections, panel);
	if (list_is_empty(&panel->connections))
		upcoming_look(&delivery->upcoming, panel);
}

static void on_reconciliation(void *context)
{
	struct delivery *delivery = context;

	app_comparison_turn(&delivery->app_comparison);
	panels_expire(&delivery->panels);
	push_order_forget(&delivery->push_order);
	expiry_turn(&delivery->expiry);
}

static void on_held(void *context, struct panel *panel, bool is_held)
{
	struct delivery *delivery = context;

	write_behind_held(&delivery->write_behind, panel, is_held);
}

static void on_expired(void *context, struct id device_id, int64_t generation)
{
	delivery_device_changed(context, device_id, generation);
}

static void on_shown(void *context, struct panel *panel)
{
	struct delivery *delivery = context;

	leases_changed(&delivery->leases, panel->id);
	upcoming_look(&delivery->upcoming, panel);
}

static void on_come(void *context, struct panel *panel)
{
	struct delivery *delivery = context;

	leases_come(&delivery->leases, panel);
}

static void on_device_hint(struct hint_subscription *hints, struct str text)
{
	struct delivery *delivery = container_of(hints, struct delivery, hints);
	int64_t generation;
	struct id id;

	if (change_hint_parse(text, &id, &generation))
		loader_changed(&delivery->loader, id, generation);
}

static void on_app_hint(struct hint_subscription *hints, struct str text)
{
	struct delivery *delivery = container_of(hints, struct delivery, app_hints);
	int64_t generation;
	struct id id;

	if (change_hint_parse(text, &id, &generation))
		render_keys_app_changed(&delivery->render_keys, id, generation);
}

/* text: "<render key>:<generation>" */
static void on_render_hint(struct hint_subscription *hints, struct str text)
{
	struct delivery *delivery = container_of(hints, struct delivery, render_hints);
	size_t colon = str_find(text, ':');
	uint8_t render_key[RENDER_KEY_BYTES];
	unsigned long long generation;

	if (colon < text.length &&
	    hex_decode((struct str){text.data, colon}, render_key, sizeof(render_key)) &&
	    str_to_uint64(str_from_offset(text, colon + 1), INT64_MAX, &generation))
		render_keys_changed(&delivery->render_keys, render_key, (int64_t)generation);
}

static void on_hints_up(struct hint_subscription *hints, bool up)
{
	struct delivery *delivery = container_of(hints, struct delivery, hints);

	reconciliation_on_hints_up(&delivery->reconciliation, up);
	app_comparison_on_hints_up(&delivery->app_comparison, up);
}

/* ---- beginning and end ---- */

static void connect_panels(struct delivery *delivery, struct loop *loop, struct region_map *shared)
{
	pictures_init(&delivery->pictures, LIMIT_PICTURE_MEMORY);
	delivery->panels = (struct panels){
	    .loop = loop,
	    .db = delivery->db,
	    .pictures = &delivery->pictures,
	    .shares = &delivery->shares,
	    .cursors = &delivery->cursors,
	    .changes = region_common(shared, &change_region),
	    .render_keys = &delivery->render_keys,
	    .upcoming = &delivery->upcoming,
	    .max = LIMIT_PANELS,
	    .unused_ms = 15 * 60 * 1000,
	    .on_gone = on_panel_gone,
	    .on_led = on_led,
	    .context = delivery,
	};
	panels_init(&delivery->panels);
	delivery->render_keys = (struct render_keys){
	    .loop = loop, .db = delivery->db, .on_changed = on_rendered, .context = delivery};
	render_keys_init(&delivery->render_keys);
	app_comparison_init(&delivery->app_comparison, &delivery->render_keys);
	delivery->upcoming = (struct upcoming){.loop = loop, .cursors = &delivery->cursors};
}

static void connect_database(struct delivery *delivery, struct loop *loop)
{
	struct panels *panels = &delivery->panels;
	struct db *db = delivery->db;

	delivery->loader = (struct loader){
	    .loop = loop, .db = db, .panels = panels, .on_loaded = on_loaded, .context = delivery};
	loader_init(&delivery->loader);
	delivery->fetcher =
	    (struct picture_fetcher){.db = db,
				     .looks = {.loop = loop, .pictures = &delivery->pictures},
				     .on_fetched = on_fetched,
				     .context = delivery};
	delivery->contacts = (struct contacts){
	    .loop = loop, .panels = panels, .on_end = on_contact_end, .context = delivery};
	delivery->presence = (struct presence){.loop = loop, .db = db};
	presence_init(&delivery->presence);
	delivery->write_behind = (struct write_behind){.loop = loop,
						       .presence = &delivery->presence,
						       .db = db,
						       .panels = panels,
						       .reconciliation = &delivery->reconciliation,
						       .contacts = &delivery->contacts};
	write_behind_init(&delivery->write_behind);
	delivery->reports = (struct panel_reports){.loop = loop, .db = db};
	panel_reports_init(&delivery->reports);
	delivery->orders = (struct orders){
	    .db = db, .on_taken = on_order_taken, .on_moved = on_moved, .context = delivery};
	delivery->firmware_orders =
	    (struct firmware_orders){.db = db, .on_taken = on_firmware_taken, .context = delivery};
	delivery->push_order = (struct push_order){
	    .loop = loop, .db = db, .on_pushed = on_pushed, .context = delivery};
	push_order_init(&delivery->push_order);
	delivery->reconciliation = (struct reconciliation){.loop = loop,
							   .db = db,
							   .panels = panels,
							   .loader = &delivery->loader,
							   .presence_id = delivery->presence.id,
							   .on_turn = on_reconciliation,
							   .on_held = on_held,
							   .context = delivery,
							   .interval_ms = 30 * 1000};
	reconciliation_init(&delivery->reconciliation);
	delivery->expiry = (struct expiry){.db = db, .on_expired = on_expired, .context = delivery};
	delivery->lookups =
	    (struct lookups){.db = db, .panels = panels, .loader = &delivery->loader};
}

static void connect_panel_connections(struct delivery *delivery, struct loop *loop,
				      struct region_map *shared)
{
	const struct cursors *cursors = &delivery->cursors;

	delivery->connections = (struct panel_connections){
	    .loop = loop,
	    .loader = &delivery->loader,
	    .fetcher = &delivery->fetcher,
	    .write_behind = &delivery->write_behind,
	    .reports = &delivery->reports,
	    .orders = &delivery->orders,
	    .firmware_orders = &delivery->firmware_orders,
	    .cursors = cursors,
	    .rates = region_common(shared, &rate_region),
	    .on_come = on_come,
	    .on_change = on_shown,
	    .context = delivery,
	};
	panel_connections_init(&delivery->connections);
	delivery->roaming = (struct roaming){.loop = loop, .db = delivery->db, .cursors = cursors};
	roaming_init(&delivery->roaming);
	delivery->polling = (struct polling){
	    .loop = loop,
	    .fetcher = &delivery->fetcher,
	    .write_behind = &delivery->write_behind,
	    .orders = &delivery->orders,
	    .roaming = &delivery->roaming,
	    .cursors = cursors,
	    .on_come = on_come,
	    .on_change = on_shown,
	    .context = delivery,
	};
}

static int64_t connected_since_us(const struct panel *panel)
{
	return list_is_empty(&panel->connections)
		   ? 0
		   : container_of(panel->connections.previous, struct panel_connection, node)
			 ->connected_us;
}

struct delivery *delivery_create(struct loop *loop, struct db *db, struct region_map *shared,
				 unsigned worker)
{
	struct delivery *delivery = memory_zalloc(sizeof(*delivery));

	delivery->db = db;
	delivery->cursors = cursors_join(region_common(shared, &cursor_region), worker);
	connect_panels(delivery, loop, shared);
	connect_database(delivery, loop);
	connect_panel_connections(delivery, loop, shared);
	views_init(delivery, loop, shared);
	delivery->balance = (struct balance){
	    .loop = loop,
	    .db = db,
	    .panels = &delivery->panels,
	    .shared = shared,
	    .worker = worker,
	    .on_end = panel_connections_drop,
	    .since_us = connected_since_us,
	};
	balance_init(&delivery->balance);
	delivery->hints = (struct hint_subscription){
	    .kind = STR("device"),
	    .on_hint = on_device_hint,
	    .on_up = on_hints_up,
	};
	db_subscribe(db, &delivery->hints);
	delivery->app_hints =
	    (struct hint_subscription){.kind = STR("app"), .on_hint = on_app_hint};
	db_subscribe(db, &delivery->app_hints);
	delivery->render_hints =
	    (struct hint_subscription){.kind = STR("render"), .on_hint = on_render_hint};
	db_subscribe(db, &delivery->render_hints);
	return delivery;
}

void delivery_set_limits(struct delivery *delivery, const struct delivery_limits *limits)
{
	if (limits->picture_bytes)
		delivery->pictures.bytes_max = limits->picture_bytes;
	if (limits->panels)
		delivery->panels.max = limits->panels;
	if (limits->subscriptions)
		delivery->subscriptions.max = limits->subscriptions;
	if (limits->panel_stay_ms)
		delivery->balance.stay_ms = limits->panel_stay_ms;
	if (limits->unused_ms)
		delivery->panels.unused_ms = limits->unused_ms;
	if (limits->seen_ms)
		write_behind_set_interval(&delivery->write_behind, limits->seen_ms);
	if (limits->reconciliation_ms)
		reconciliation_set_interval(&delivery->reconciliation, limits->reconciliation_ms);
}

struct delivery_counts delivery_count(const struct delivery *delivery)
{
	return (struct delivery_counts){
	    .panels = (unsigned)delivery->panels.by_id.count,
	    .connected = delivery->panels.connected,
	};
}

void delivery_drain(struct delivery *delivery)
{
	render_keys_drain(&delivery->render_keys);
	delivery->upcoming.is_draining = true;
	loader_drain(&delivery->loader);
	lookups_drain(&delivery->lookups);
	push_order_drain(&delivery->push_order);
	write_behind_drain(&delivery->write_behind);
	presence_drain(&delivery->presence);
	panel_reports_drain(&delivery->reports);
	reconciliation_drain(&delivery->reconciliation);
	expiry_drain(&delivery->expiry);
	balance_drain(&delivery->balance);
	/* A panel whose connections are dropped moves to the end of the list, so the loop comes to
	 * it once more and finds no connections. */
	list_for_each (node, &delivery->panels.by_use)
		panel_connections_drop(container_of(node, struct panel, by_use));
}

void delivery_destroy(struct delivery *delivery)
{
	if (!delivery)
		return;
	db_unsubscribe(&delivery->hints);
	db_unsubscribe(&delivery->app_hints);
	db_unsubscribe(&delivery->render_hints);
	roaming_finish(&delivery->roaming);
	balance_finish(&delivery->balance);
	reconciliation_finish(&delivery->reconciliation);
	expiry_finish(&delivery->expiry);
	panels_finish(&delivery->panels);
	views_finish(delivery);
	panel_connections_finish(&delivery->connections);
	lookups_finish(&delivery->lookups);
	orders_finish(&delivery->orders);
	firmware_orders_finish(&delivery->firmware_orders);
	push_order_finish(&delivery->push_order);
	panel_reports_finish(&delivery->reports);
	write_behind_finish(&delivery->write_behind);
	presence_finish(&delivery->presence);
	loader_finish(&delivery->loader);
	app_comparison_finish(&delivery->app_comparison);
	render_keys_finish(&delivery->render_keys);
	looks_finish(&delivery->fetcher.looks);
	pictures_finish(&delivery->pictures);
	account_shares_finish(&delivery->shares);
	free(delivery);
}
