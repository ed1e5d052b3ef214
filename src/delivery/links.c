#include "links.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "metric/metric.h"
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

/* A panel that was loaded within this time is not loaded again for a new link. */
enum { FRESH_MS = 1000 };

/* Frames that a link takes from its device's bucket at once. */
enum { FRAMES_AT_ONCE = 16 };

static struct playback_clock clock_now(const struct link *link)
{
	struct loop *loop = link->links->loop;

	return (struct playback_clock){.now_ms = (int64_t)loop_now_ms(loop),
				       .wall_us = clock_wall_us()};
}

/* ---- what playback does to the outside ---- */

static void send_number(struct link *link, const char *name, int64_t number)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "{\"%s\":%lld}", name, (long long)number);

	websocket_send_text(link->websocket, (struct str){text, (size_t)length});
}

static void on_brightness(void *context, int percent)
{
	send_number(context, "brightness", percent);
}

static void on_immediate(void *context)
{
	struct link *link = context;

	websocket_send_text(link->websocket, STR("{\"immediate\":true}"));
}

/* The push on the panel was stored at that time; on another worker, by the database's clock. */
static void count_push(const struct panel *panel, enum metric_push_stage stage, int64_t wall_us)
{
	int64_t since_us = wall_us - panel->content.push.created_us;

	metric_observe(METRIC_PUSH_TO_PANEL, stage, since_us > 0 ? (uint64_t)since_us : 0);
}

/* Once for each link: a push comes again where its installation has its turn. */
static void count_sent(struct link *link, const struct playback_item *item)
{
	const struct content_push *push = &link->panel->content.push;

	metric_add(METRIC_PICTURES_SENT, METRIC_PANEL_LINK, 1);
	if (item->kind != PLAYBACK_PUSH || push->displayed_us != 0 ||
	    item->generation != push->generation || link->push_counted == item->generation)
		return;
	link->push_counted = item->generation;
	count_push(link->panel, METRIC_PUSH_SENT, clock_wall_us());
}

static bool on_picture(void *context, const struct playback_item *item, int64_t dwell_s,
		       int brightness, bool hurried)
{
	struct link *link = context;
	struct str webp = panel_picture(link->panel, item);

	if (!webp.data) {
		panel_fetch_picture(link->links->fetcher, link->panel, item);
		return false;
	}
	send_number(link, "dwell_secs", dwell_s);
	if (brightness != -1)
		on_brightness(link, brightness);
	websocket_send_binary(link->websocket, webp);
	if (hurried)
		on_immediate(link);
	link->links->item_sent = *item;
	count_sent(link, item);
	return true;
}

static void on_push_displayed(void *context, int64_t generation, int64_t wall_us)
{
	const struct link *link = context;

	if (!link->playback.is_assumed) /* the panel has said so */
		count_push(link->panel, METRIC_PUSH_DISPLAYED, wall_us);
	write_behind_displayed(link->links->write_behind, link->panel, generation, wall_us);
}

static struct playback_output output_of(struct link *link)
{
	return (struct playback_output){
	    .brightness = on_brightness,
	    .picture = on_picture,
	    .immediate = on_immediate,
	    .push_displayed = on_push_displayed,
	    .context = link,
	};
}

/* ---- events ---- */

/* Notes the panel's place in its rotation: when it connects again, any worker goes on from there.
 */
static void tell_position(struct link *link)
{
	const struct panel *panel = link->panel;

	if (link->playback.rotation_position == link->position_told)
		return;
	link->position_told = link->playback.rotation_position;
	cursor_move(link->links->cursors, panel->id, link->position_told);
}

static void tell_change(const struct link *link, struct panel *panel)
{
	link->links->on_change(link->links->context, panel);
}

static void link_update(struct link *link)
{
	struct panel *panel = link->panel;
	struct playback_output output = output_of(link);
	struct playback_clock clock;
	int64_t again_ms;
	uint32_t load;

	if (!panel)
		return; /* the link was dropped and waits for on_closed() */
	if (panel->awaits_contact)
		return; /* links_update() comes when the first contact is written */
	/* Playback decides when the panel has taken what was sent to it: of pictures that come
	 * meanwhile, only the newest is sent. */
	if (websocket_pending_bytes(link->websocket))
		return; /* on_drained() comes */
	if (!loader_freshen(link->links->loader, panel, &load))
		return; /* links_update() comes when the panel was loaded */
	(void)orders_await(link->links->orders, panel, false); /* links_order() comes */
	links_order(link->links, panel);
	clock = clock_now(link);
	link->links->item_sent.kind = PLAYBACK_NOTHING;
	websocket_batch_begin(link->websocket);
	again_ms = playback_update(&link->playback, &panel->content, clock, &output);
	/* Before the panel gets anything: it may connect to another worker at once. */
	tell_position(link);
	websocket_batch_send(link->websocket);
	/* Release only after the batch is sent: it has only pointers to the bytes. */
	if (link->links->item_sent.kind != PLAYBACK_NOTHING)
		panel_release_picture(panel, &link->links->item_sent);
	deadline_set_at(link->links->loop, &link->deadline, (uint64_t)again_ms);
	tell_change(link, panel);
}

static void on_update(struct list *node)
{
	link_update(container_of(node, struct link, update));
}

/* The links of a fleet got a picture at one time, so their deadlines, too, come at one time: they
 * share the budget of a turn. */
static void update_later(struct link *link)
{
	budgeted_queue_add(&link->links->updates, &link->panel->share->updates, &link->update);
}

static void on_deadline(struct deadline *deadline)
{
	update_later(container_of(deadline, struct link, deadline));
}

static const struct json_value *member(const struct json_value *object, const char *name)
{
	return (const struct json_value *)(void *)yyjson_obj_get((yyjson_val *)(void *)object,
								 name);
}

static void take_client_info(struct link *link, const struct json_value *info, struct arena *arena)
{
	struct panel_report report;
	char id[ID_TEXT_LENGTH + 1];

	link->has_introduced_itself = true;
	panel_report_read(info, arena, &report);
	id_format(link->panel->id, id);
	log_info("panel", "says who it is", LOG_TEXT("device", id),
		 LOG_STR("firmware_version", report.firmware_version),
		 LOG_STR("firmware_type", report.firmware_type),
		 LOG_STR("mac", report.mac_address));
	panel_reports_take(link->links->reports, link->panel->id, &report);
}

static void take_queued(struct link *link, int64_t number)
{
	playback_on_queued(&link->playback, number, clock_now(link));
	update_later(link);
}

static void take_displaying(struct link *link, int64_t number)
{
	struct playback_output output = output_of(link);

	playback_on_displaying(&link->playback, number, &link->panel->content, clock_now(link),
			       &output);
	update_later(link);
}

static void take_json(struct link *link, const struct json_value *root, struct arena *arena)
{
	int64_t number;

	if (member(root, "client_info") && !link->has_introduced_itself)
		take_client_info(link, member(root, "client_info"), arena);
	if (json_get_integer(member(root, "queued"), &number))
		take_queued(link, number);
	if (json_get_integer(member(root, "displaying"), &number))
		take_displaying(link, number);
}

/* Whether the text is start, a number and "}". */
static bool read_number(struct str text, struct str start, int64_t *ret_number)
{
	enum { DIGITS_MAX = 9 };
	unsigned long long number;
	struct str digits;

	if (text.length <= start.length + 1 || text.length > start.length + DIGITS_MAX + 1 ||
	    text.data[text.length - 1] != '}' || memcmp(text.data, start.data, start.length) != 0)
		return false;
	digits = (struct str){text.data + start.length, text.length - start.length - 1};
	if ((digits.data[0] == '0' && digits.length > 1) ||
	    !str_to_uint64(digits, INT32_MAX, &number))
		return false;
	*ret_number = (int64_t)number;
	return true;
}

/* Reads a message that firmware sends twice for each picture, in exactly this form: a fleet that
 * takes a picture sends little else. Any other text is read as JSON. */
static bool take_usual(struct link *link, struct str text)
{
	int64_t number;

	if (read_number(text, STR("{\"queued\":"), &number))
		take_queued(link, number);
	else if (read_number(text, STR("{\"displaying\":"), &number))
		take_displaying(link, number);
	else
		return false;
	return true;
}

/* Takes the link out of its panel. The link itself lives until on_closed(). */
static void link_leave(struct link *link)
{
	struct panel *panel = link->panel;

	if (!panel)
		return;
	deadline_clear(link->links->loop, &link->deadline);
	list_remove(&link->update);
	list_remove(&link->node);
	if (--panel->link_count == 0) {
		panel->panels->connected--;
		cursor_unlink(link->links->cursors, panel->id, clock_wall_us());
	}
	panel_touch(panel);
	link->panel = NULL;
	tell_change(link, panel);
	if (panel->order || (panel->ways && panel->ways->order_generation))
		links_update(link->links, panel); /* the rest may be one that can be led */
	panel_let_go(panel);
}

static void drop(struct link *link)
{
	link_leave(link);
	websocket_drop(link->websocket);
}

static void on_text(struct websocket *websocket, struct str text)
{
	struct link *link = websocket_owner(websocket);
	struct json_document document = {0};
	struct arena arena = {0};
	struct str reason;

	if (!link->panel)
		return;
	panel_seen(link->panel);
	if (take_usual(link, text))
		return;
	/* Newer firmware may send more than this server knows: other texts are ignored. */
	if (json_parse(text, &arena, &document, &reason))
		take_json(link, document.root, &arena);
	json_document_finish(&document);
	arena_finish(&arena);
}

static void on_binary(struct websocket *websocket, struct str data)
{
	(void)data; /* panels send no binary messages */
	(void)websocket;
}

/* Whoever has a panel's key may connect as often as he likes: what counts is the device. The shared
 * bucket is asked once for several frames. */
static bool may_send(struct link *link)
{
	static const struct rate_policy frames = {
	    .name = "frames",
	    .per_second = LIMIT_PANEL_FRAMES_PER_S,
	    .burst = LIMIT_PANEL_FRAMES_BURST,
	};

	if (link->frames_left == 0)
		link->frames_left =
		    (uint8_t)rate_take_some(link->links->rates, &frames, link->panel->id,
					    FRAMES_AT_ONCE, clock_monotonic_us());
	if (link->frames_left == 0)
		return false;
	link->frames_left--;
	return true;
}

static void on_alive(struct websocket *websocket)
{
	struct link *link = websocket_owner(websocket);

	if (!link->panel)
		return;
	if (may_send(link)) {
		panel_seen(link->panel);
		return;
	}
	metric_add(METRIC_RATE_LIMITED, METRIC_LIMIT_FRAMES, 1);
	drop(link);
}

static void on_drained(struct websocket *websocket)
{
	struct link *link = websocket_owner(websocket);

	if (link->panel)
		update_later(link);
}

static void on_closed(struct websocket *websocket)
{
	struct link *link = websocket_owner(websocket);

	link_leave(link);
	playback_finish(&link->playback);
	free(link);
}

static const struct websocket_events events = {
    .on_text = on_text,
    .on_binary = on_binary,
    .on_alive = on_alive,
    .on_drained = on_drained,
    .on_closed = on_closed,
};

/* Adds the link to the panel. A panel that has too many loses the oldest. */
static void join(struct link *link, struct panel *panel)
{
	if (panel->link_count >= LIMIT_PANEL_LINKS)
		drop(container_of(panel->links.next, struct link, node));
	link->panel = panel;
	panel_hold(panel);
	list_append(&panel->links, &link->node);
	if (panel->link_count++ == 0)
		panel->panels->connected++;
}

void links_connect(struct links *links, struct panel *panel, const struct panel_way *way,
		   struct http_request *request)
{
	struct link *link = memory_zalloc(sizeof(*link));

	list_init(&link->node);
	list_init(&link->update);
	deadline_init(&link->deadline, on_deadline);
	link->links = links;
	link->way = *way;
	link->connected_us = clock_wall_us();
	link->position_told = cursor_get(links->cursors, panel->id).position;
	playback_init(&link->playback, link->position_told);
	link->websocket = websocket_accept(request, &events, link);
	if (!link->websocket) {
		free(link);
		return;
	}
	metric_add(METRIC_PANEL_LINKS, 0, 1);
	cursor_link(links->cursors, panel->id);
	join(link, panel);
	panel_touch(panel);
	panel_seen(panel);
	write_behind_contact(links->write_behind, panel);
	panel_recall_push(panel);
	update_later(link);
	/* While the panel had no link, hints may have been lost: the panel is loaded to be sure. */
	if (loop_now_ms(links->loop) - panel->loaded_ms > FRESH_MS)
		loader_load(links->loader, panel);
}

void links_order(struct links *links, struct panel *panel)
{
	struct arena arena = {0};
	struct panel_order order;

	if (!panel->order || list_is_empty(&panel->links))
		return; /* the panel polls, or is back soon */
	if (panel->order->key[0] && !orders_may_lead(panel, false))
		return; /* until the others have left */
	order = orders_give(links->orders, panel, false, &arena);
	list_for_each (node, &panel->links) {
		struct websocket *websocket = container_of(node, struct link, node)->websocket;

		if (order.url.data)
			websocket_send_text(websocket, ARENA_JOIN(&arena, STR("{\"image_url\":\""),
								  order.url, STR("\"}")));
		if (order.is_given)
			websocket_send_text(websocket, STR("{\"reboot\":true}"));
	}
	arena_finish(&arena);
}

void links_update(struct links *links, struct panel *panel)
{
	list_for_each (node, &panel->links)
		budgeted_queue_add(&links->updates, &panel->share->updates,
				   &container_of(node, struct link, node)->update);
}

void links_drop(struct panel *panel)
{
	while (!list_is_empty(&panel->links))
		drop(container_of(panel->links.next, struct link, node));
}

void links_drop_old(struct panel *panel)
{
	struct list *next;

	for (struct list *node = panel->links.next; node != &panel->links; node = next) {
		struct link *link = container_of(node, struct link, node);

		next = node->next;
		if (panel->is_disabled || !panel_is_open(panel, &link->way))
			drop(link);
	}
}

bool links_have_moved(const struct panel *panel)
{
	if (!panel->ways || !panel->ways->has_second_key)
		return false;
	list_for_each (node, &panel->links)
		if (panel_has_second_key(panel, &container_of(node, struct link, node)->way))
			return true;
	return false;
}

void links_init(struct links *links)
{
	budgeted_queue_init(&links->updates, links->loop, on_update);
}

void links_finish(struct links *links)
{
	budgeted_queue_finish(&links->updates);
}
