#include "panel_connections.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "metric/metric.h"
#include "panel_message.h"
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

/* A panel that was loaded within this time is not loaded again for a new panel connection. */
enum { FRESH_MS = 1000 };

/* Frames that a panel connection takes from its device's bucket at once. */
enum { FRAMES_AT_ONCE = 16 };

static struct playback_clock clock_now(const struct panel_connection *connection)
{
	struct loop *loop = connection->connections->loop;

	return (struct playback_clock){.now_ms = (int64_t)loop_now_ms(loop),
				       .wall_us = clock_wall_us()};
}

/* ---- output of playback ---- */

static void send_number(struct panel_connection *connection, const char *name, int64_t number)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "{\"%s\":%lld}", name, (long long)number);

	websocket_send_text(connection->websocket, (struct str){text, (size_t)length});
}

static void on_brightness(void *context, int percent)
{
	send_number(context, "brightness", percent);
}

static void on_immediate(void *context)
{
	struct panel_connection *connection = context;

	websocket_send_text(connection->websocket, STR("{\"immediate\":true}"));
}

/* Counts a push by its time of storing (wall clock); if another worker stored it, by the database's
 * clock. */
static void count_push(const struct panel *panel, enum metric_push_stage stage, int64_t wall_us)
{
	int64_t since_us = wall_us - panel->content.push.created_us;

	metric_observe(METRIC_PUSH_TO_PANEL, stage, since_us > 0 ? (uint64_t)since_us : 0);
}

/* Counts a push once for each panel connection: it is sent again at its installation's turn. */
static void count_sent(struct panel_connection *connection, const struct playback_item *item)
{
	const struct content_push *push = &connection->panel->content.push;

	metric_add(METRIC_PICTURES_SENT, METRIC_PANEL_LINK, 1);
	if (item->kind != PLAYBACK_PUSH || push->displayed_us != 0 ||
	    item->generation != push->generation || connection->push_counted == item->generation)
		return;
	connection->push_counted = item->generation;
	count_push(connection->panel, METRIC_PUSH_SENT, clock_wall_us());
}

static bool on_picture(void *context, const struct playback_item *item, int64_t dwell_s,
		       int brightness, bool hurried)
{
	struct panel_connection *connection = context;
	struct str webp = panel_picture(connection->panel, item);

	if (!webp.data) {
		panel_fetch_picture(connection->connections->fetcher, connection->panel, item);
		return false;
	}
	send_number(connection, "dwell_secs", dwell_s);
	if (brightness != -1)
		on_brightness(connection, brightness);
	websocket_send_binary(connection->websocket, webp);
	if (hurried)
		on_immediate(connection);
	connection->connections->item_sent = *item;
	count_sent(connection, item);
	return true;
}

static void on_push_displayed(void *context, int64_t generation, int64_t wall_us)
{
	const struct panel_connection *connection = context;
	struct panel *panel = panel_shown_push(connection->panel, generation, wall_us, &generation);

	if (!connection->playback.is_assumed) /* the panel has confirmed it */
		count_push(panel, METRIC_PUSH_DISPLAYED, wall_us);
	write_behind_displayed(connection->connections->write_behind, panel, generation, wall_us);
}

static struct playback_output output_of(struct panel_connection *connection)
{
	return (struct playback_output){
	    .brightness = on_brightness,
	    .picture = on_picture,
	    .immediate = on_immediate,
	    .push_displayed = on_push_displayed,
	    .context = connection,
	};
}

/* ---- events ---- */

/* Stores the panel's rotation state: when it connects again, any worker continues there. */
static void tell_position(struct panel_connection *connection)
{
	const struct panel *panel = connection->panel;

	if (connection->playback.rotation_position == connection->position_told)
		return;
	connection->position_told = connection->playback.rotation_position;
	cursor_move(connection->connections->cursors, panel->id, connection->position_told);
}

static void tell_change(const struct panel_connection *connection, struct panel *panel)
{
	connection->connections->on_change(connection->connections->context, panel);
}

static void panel_connection_update(struct panel_connection *connection)
{
	struct panel *panel = connection->panel;
	struct playback_output output = output_of(connection);
	struct playback_clock clock;
	struct content room;
	int64_t again_ms;

	if (!panel)
		return; /* the connection was dropped and waits for on_closed() */
	if (panel->awaits_contact)
		return; /* panel_connections_update() is called when the first contact is written */
	/* Playback decides after the panel has taken everything sent to it: of pictures that arrive
	 * meanwhile, only the newest is sent. */
	if (websocket_pending_bytes(connection->websocket))
		return; /* on_drained() will be called */
	if (!loader_freshen_shown(connection->connections->loader, panel))
		return; /* panel_connections_update() is called when the panel was loaded */
	(void)orders_await(connection->connections->orders, panel, &connection->way,
			   false); /* panel_connections_order() will be called */
	firmware_orders_take(connection->connections->firmware_orders, panel);
	panel_connections_order(connection->connections, panel);
	clock = clock_now(connection);
	connection->connections->item_sent.kind = PLAYBACK_NOTHING;
	websocket_batch_begin(connection->websocket);
	again_ms = playback_update(&connection->playback, panel_shown(panel, clock.wall_us, &room),
				   clock, &output);
	/* Before anything is sent: the panel may connect to another worker at once. */
	tell_position(connection);
	websocket_batch_send(connection->websocket);
	/* Release only after the batch is sent: it has only pointers to the bytes. */
	if (connection->connections->item_sent.kind != PLAYBACK_NOTHING)
		panel_release_picture(panel, &connection->connections->item_sent);
	deadline_set_at(connection->connections->loop, &connection->deadline, (uint64_t)again_ms);
	tell_change(connection, panel);
}

static void on_update(struct list *node)
{
	panel_connection_update(container_of(node, struct panel_connection, update));
}

/* The connections of a fleet may get a picture at the same time, so their deadlines come at the
 * same time, too: they share the budget of a turn. */
static void update_later(struct panel_connection *connection)
{
	budgeted_queue_add(&connection->connections->updates, &connection->panel->share->updates,
			   &connection->update);
}

static void on_deadline(struct deadline *deadline)
{
	update_later(container_of(deadline, struct panel_connection, deadline));
}

static const struct json_value *member(const struct json_value *object, const char *name)
{
	return (const struct json_value *)(void *)yyjson_obj_get((yyjson_val *)(void *)object,
								 name);
}

static void take_client_info(struct panel_connection *connection, const struct json_value *info,
			     struct arena *arena)
{
	struct panel_report report;
	char id[ID_TEXT_LENGTH + 1];

	panel_report_read(info, arena, &report);
	panel_reports_take(connection->connections->reports, connection->panel->id, &report);
	id_format(connection->panel->id, id);
	if (!connection->has_introduced_itself)
		log_info("panel", "panel identified itself", LOG_TEXT("device", id),
			 LOG_STR("firmware_version", report.firmware_version),
			 LOG_STR("firmware_type", report.firmware_type),
			 LOG_STR("mac", report.mac_address));
	connection->has_introduced_itself = true;
}

static void take_queued(struct panel_connection *connection, int64_t number)
{
	playback_on_queued(&connection->playback, number, clock_now(connection));
	update_later(connection);
}

static void take_displaying(struct panel_connection *connection, int64_t number)
{
	struct playback_output output = output_of(connection);
	struct playback_clock clock = clock_now(connection);
	struct content room;

	playback_on_displaying(&connection->playback, number,
			       panel_shown(connection->panel, clock.wall_us, &room), clock,
			       &output);
	update_later(connection);
}

static void take_json(struct panel_connection *connection, const struct json_value *root,
		      struct arena *arena)
{
	int64_t number;

	if (member(root, "client_info") &&
	    panel_reports_may_take(connection->connections->rates, connection->panel->id))
		take_client_info(connection, member(root, "client_info"), arena);
	if (json_get_integer(member(root, "queued"), &number))
		take_queued(connection, number);
	if (json_get_integer(member(root, "displaying"), &number))
		take_displaying(connection, number);
}

/* Reads the usual messages without JSON: a fleet that takes a picture sends little else. */
static bool take_usual(struct panel_connection *connection, struct str text)
{
	int64_t number;

	if (panel_message_number(text, STR("{\"queued\":"), &number))
		take_queued(connection, number);
	else if (panel_message_number(text, STR("{\"displaying\":"), &number))
		take_displaying(connection, number);
	else
		return false;
	return true;
}

/* Takes the connection out of its panel. The connection itself lives until on_closed(). */
static void panel_connection_leave(struct panel_connection *connection)
{
	struct panel *panel = connection->panel;

	if (!panel)
		return;
	deadline_clear(connection->connections->loop, &connection->deadline);
	list_remove(&connection->update);
	list_remove(&connection->node);
	if (--panel->connection_count == 0) {
		panel->panels->connected--;
		panel_links_end(&connection->connections->links, panel->id);
	}
	panel_touch(panel);
	connection->panel = NULL;
	tell_change(connection, panel);
	if (panel->order || (panel->ways && panel->ways->order_generation))
		panel_connections_update(connection->connections,
					 panel); /* the remaining connection may be able to move */
	panel_let_go(panel);
}

static void drop(struct panel_connection *connection)
{
	panel_connection_leave(connection);
	websocket_drop(connection->websocket);
}

static void on_text(struct websocket *websocket, struct str text)
{
	struct panel_connection *connection = websocket_owner(websocket);
	struct json_document document = {0};
	struct arena arena = {0};
	struct str reason;

	if (!connection->panel)
		return;
	panel_seen(connection->panel);
	if (take_usual(connection, text))
		return;
	/* Newer firmware may send more than this server knows: other texts are ignored. */
	if (json_parse(text, &arena, &document, &reason))
		take_json(connection, document.root, &arena);
	json_document_finish(&document);
	arena_finish(&arena);
}

static void on_binary(struct websocket *websocket, struct str data)
{
	(void)data; /* panels send no binary messages */
	(void)websocket;
}

/* A client with a panel's key may open any number of connections, so frames count for the device.
 * Tokens are taken from the shared bucket for several frames at once. */
static bool may_send(struct panel_connection *connection)
{
	static const struct rate_policy frames = {
	    .name = "frames",
	    .per_second = LIMIT_PANEL_FRAMES_PER_S,
	    .burst = LIMIT_PANEL_FRAMES_BURST,
	};

	if (connection->frames_left == 0)
		connection->frames_left = (uint8_t)rate_take_some(
		    connection->connections->rates, &frames, connection->panel->id, FRAMES_AT_ONCE,
		    clock_monotonic_us());
	if (connection->frames_left == 0)
		return false;
	connection->frames_left--;
	return true;
}

static void on_alive(struct websocket *websocket)
{
	struct panel_connection *connection = websocket_owner(websocket);

	if (!connection->panel)
		return;
	if (may_send(connection)) {
		panel_seen(connection->panel);
		return;
	}
	metric_add(METRIC_RATE_LIMITED, METRIC_LIMIT_FRAMES, 1);
	drop(connection);
}

static void on_drained(struct websocket *websocket)
{
	struct panel_connection *connection = websocket_owner(websocket);

	if (connection->panel)
		update_later(connection);
}

static void on_closed(struct websocket *websocket)
{
	struct panel_connection *connection = websocket_owner(websocket);

	panel_connection_leave(connection);
	playback_finish(&connection->playback);
	free(connection);
}

static const struct websocket_events events = {
    .on_text = on_text,
    .on_binary = on_binary,
    .on_alive = on_alive,
    .on_drained = on_drained,
    .on_closed = on_closed,
};

/* Adds the connection to the panel. A panel that has too many loses the oldest. */
static void join(struct panel_connection *connection, struct panel *panel)
{
	if (panel->connection_count >= LIMIT_PANEL_LINKS)
		drop(container_of(panel->connections.next, struct panel_connection, node));
	if (panel->connection_count == 0)
		connection->connections->on_come(connection->connections->context, panel);
	connection->panel = panel;
	panel_hold(panel);
	list_append(&panel->connections, &connection->node);
	if (panel->connection_count++ == 0)
		panel->panels->connected++;
}

void panel_connections_connect(struct panel_connections *connections, struct panel *panel,
			       const struct panel_way *way, struct http_request *request)
{
	struct panel_connection *connection = memory_zalloc(sizeof(*connection));

	list_init(&connection->node);
	list_init(&connection->update);
	deadline_init(&connection->deadline, on_deadline);
	connection->connections = connections;
	connection->way = *way;
	connection->connected_us = clock_wall_us();
	connection->position_told = cursor_get(connections->cursors, panel->id).position;
	playback_init(&connection->playback, connection->position_told);
	connection->websocket = websocket_accept(request, &events, connection);
	if (!connection->websocket) {
		free(connection);
		return;
	}
	metric_add(METRIC_PANEL_LINKS, 0, 1);
	panel_links_open(&connections->links, panel->id);
	join(connection, panel);
	panel_touch(panel);
	panel_seen(panel);
	write_behind_contact(connections->write_behind, panel);
	panel_recall_push(panel);
	update_later(connection);
	/* While the panel had no connection, hints may have been lost, so the panel is loaded. */
	if (loop_now_ms(connections->loop) - panel->loaded_ms > FRESH_MS)
		loader_load(connections->loader, panel);
}

void panel_connections_order(struct panel_connections *connections, struct panel *panel)
{
	struct arena arena = {0};
	struct str messages[ORDER_MESSAGES_MAX];
	struct panel_order order;
	unsigned count;

	if (!panel->order || list_is_empty(&panel->connections))
		return; /* the panel polls, or is back soon */
	if (!orders_may_give(panel, false, panel_connections_may_be_led(panel)))
		return; /* wait until the others have left */
	order = orders_give(connections->orders, panel, false, &arena);
	count = orders_messages(&order, &arena, messages);
	list_for_each (node, &panel->connections)
		for (unsigned i = 0; i < count; i++)
			websocket_send_text(
			    container_of(node, struct panel_connection, node)->websocket,
			    messages[i]);
	arena_finish(&arena);
}

static void update_all(struct panel_connections *connections, struct panel *panel)
{
	list_for_each (node, &panel->connections)
		budgeted_queue_add(&connections->updates, &panel->share->updates,
				   &container_of(node, struct panel_connection, node)->update);
}

void panel_connections_update_followers(struct panel_connections *connections,
					const struct panel *leader)
{
	if (!leader->lead)
		return;
	list_for_each (node, &leader->lead->followers)
		update_all(connections,
			   container_of(node, struct panel_following, of_leader)->panel);
}

void panel_connections_update(struct panel_connections *connections, struct panel *panel)
{
	update_all(connections, panel);
	panel_connections_update_followers(connections, panel);
}

void panel_connections_drop(struct panel *panel)
{
	while (!list_is_empty(&panel->connections))
		drop(container_of(panel->connections.next, struct panel_connection, node));
}

void panel_connections_drop_old(struct panel *panel)
{
	struct list *next;

	for (struct list *node = panel->connections.next; node != &panel->connections;
	     node = next) {
		struct panel_connection *connection =
		    container_of(node, struct panel_connection, node);

		next = node->next;
		if (panel->is_disabled || !panel_is_open(panel, &connection->way))
			drop(connection);
	}
}

void panel_connections_init(struct panel_connections *connections)
{
	connections->links.loop = connections->loop;
	connections->links.cursors = connections->cursors;
	panel_links_init(&connections->links);
	budgeted_queue_init(&connections->updates, connections->loop, on_update);
}

void panel_connections_finish(struct panel_connections *connections)
{
	budgeted_queue_finish(&connections->updates);
	panel_links_finish(&connections->links);
}
