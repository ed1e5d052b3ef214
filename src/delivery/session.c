#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "delivery_private.h"
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

/* What was loaded so lately need not be loaded for a new connection. */
enum { FRESH_MS = 1000 };

static struct playback_clock clock_now(const struct session *session)
{
	struct loop *loop = session->panel->delivery->loop;

	return (struct playback_clock){.now_ms = (int64_t)loop_now_ms(loop),
				       .wall_us = clock_wall_us()};
}

/* ---- what playback does to the outside ---- */

static void send_number(struct session *session, const char *name, int64_t number)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "{\"%s\":%lld}", name, (long long)number);

	websocket_send_text(session->websocket, (struct str){text, (size_t)length});
}

static void on_brightness(void *context, int percent)
{
	send_number(context, "brightness", percent);
}

static void on_immediate(void *context)
{
	struct session *session = context;

	websocket_send_text(session->websocket, STR("{\"immediate\":true}"));
}

static bool on_picture(void *context, const struct playback_item *item, int64_t dwell_s,
		       int brightness, bool hurried)
{
	struct session *session = context;
	struct delivery *delivery = session->panel->delivery;
	struct str webp = picture_of_item(session->panel, item);

	if (!webp.data) {
		panel_fetch_picture(session->panel, item->position);
		return false;
	}
	send_number(session, "dwell_secs", dwell_s);
	if (brightness != -1)
		on_brightness(session, brightness);
	websocket_send_binary(session->websocket, webp);
	if (hurried)
		on_immediate(session);
	delivery->position_sent = item->position;
	return true;
}

static void on_push_displayed(void *context, int64_t generation, int64_t wall_us)
{
	const struct session *session = context;

	ledger_displayed(session->panel, generation, wall_us);
}

static struct playback_output output_of(struct session *session)
{
	return (struct playback_output){
	    .brightness = on_brightness,
	    .picture = on_picture,
	    .immediate = on_immediate,
	    .push_displayed = on_push_displayed,
	    .context = session,
	};
}

/* ---- events ---- */

/* A panel that connects again goes on where it was, whichever worker it reaches. */
static void tell_position(struct session *session)
{
	const struct panel *panel = session->panel;

	if (session->playback.rotation_position == session->position_told)
		return;
	session->position_told = session->playback.rotation_position;
	cursor_move(panel->delivery->cursors, panel->id, session->position_told);
}

static void session_update(struct session *session)
{
	struct panel *panel = session->panel;
	struct playback_output output = output_of(session);
	struct playback_clock clock;
	int64_t again_ms;

	if (!panel)
		return; /* dropped; its end is under way */
	clock = clock_now(session);
	panel->delivery->position_sent = -1;
	websocket_cork(session->websocket);
	again_ms = playback_update(&session->playback, &panel->content, clock, &output);
	websocket_uncork(session->websocket);
	/* Not before: what is corked is not copied. */
	if (panel->delivery->position_sent != -1)
		panel_release_picture(panel, panel->delivery->position_sent);
	tell_position(session);
	deadline_set_at(panel->delivery->loop, &session->deadline, (uint64_t)again_ms);
}

void session_on_update(struct list *node)
{
	session_update(container_of(node, struct session, update));
}

/* Later: what was sent to many at one time ends for many at one time. */
static void update_later(struct session *session)
{
	budgeted_queue_add(&session->panel->delivery->updates, &session->update);
}

static void on_deadline(struct deadline *deadline)
{
	update_later(container_of(deadline, struct session, deadline));
}

static const struct json_value *member(const struct json_value *object, const char *name)
{
	return (const struct json_value *)(void *)yyjson_obj_get((yyjson_val *)(void *)object,
								 name);
}

static void log_client_info(struct session *session, const struct json_value *info)
{
	char id[ID_TEXT_LENGTH + 1];
	struct str version = {0}, type = {0}, mac = {0};

	session->has_introduced_itself = true;
	json_get_str(member(info, "firmware_version"), &version);
	json_get_str(member(info, "firmware_type"), &type);
	json_get_str(member(info, "mac"), &mac);
	id_format(session->panel->id, id);
	log_info("panel", "says who it is", LOG_TEXT("device", id),
		 LOG_STR("firmware_version", version), LOG_STR("firmware_type", type),
		 LOG_STR("mac", mac));
}

static void take_message(struct session *session, const struct json_value *root)
{
	struct panel *panel = session->panel;
	struct playback_output output = output_of(session);
	int64_t number;

	if (member(root, "client_info") && !session->has_introduced_itself)
		log_client_info(session, member(root, "client_info"));
	if (json_get_integer(member(root, "queued"), &number)) {
		playback_on_queued(&session->playback, number, clock_now(session));
		update_later(session);
	}
	if (json_get_integer(member(root, "displaying"), &number)) {
		playback_on_displaying(&session->playback, number, &panel->content,
				       clock_now(session), &output);
		update_later(session);
	}
}

/* A panel says a few things for each picture. One that says far more is broken, or no panel. */
static bool talks_too_much(struct session *session)
{
	uint64_t now_ms = loop_now_ms(session->panel->delivery->loop);

	if (now_ms - session->minute_ms >= 60 * 1000) {
		session->minute_ms = now_ms;
		session->messages = 0;
	}
	return ++session->messages > LIMIT_PANEL_MESSAGES_PER_MINUTE;
}

static void on_text(struct websocket *websocket, struct str text)
{
	struct session *session = websocket_owner(websocket);
	struct json_document document = {0};
	struct arena arena = {0};
	struct str reason;

	if (!session->panel)
		return;
	if (talks_too_much(session)) {
		session_drop(session);
		return;
	}
	panel_seen(session->panel);
	/* What cannot be understood is of a firmware that knows more: ignored. */
	if (json_parse(text, &arena, &document, &reason))
		take_message(session, document.root);
	json_document_finish(&document);
	arena_finish(&arena);
}

static void on_binary(struct websocket *websocket, struct str data)
{
	(void)data; /* panels send none */
	(void)websocket;
}

static void on_alive(struct websocket *websocket)
{
	struct session *session = websocket_owner(websocket);

	if (session->panel)
		panel_seen(session->panel);
}

/* Takes the session away from its panel; the websocket may still be closing. */
static void session_leave(struct session *session)
{
	struct panel *panel = session->panel;

	if (!panel)
		return;
	deadline_clear(panel->delivery->loop, &session->deadline);
	list_remove(&session->update);
	list_remove(&session->node);
	panel->session_count--;
	panel_touch(panel);
	session->panel = NULL;
}

static void on_closed(struct websocket *websocket)
{
	struct session *session = websocket_owner(websocket);

	session_leave(session);
	playback_finish(&session->playback);
	free(session);
}

void session_drop(struct session *session)
{
	session_leave(session);
	websocket_drop(session->websocket);
}

static const struct websocket_events events = {
    .on_text = on_text,
    .on_binary = on_binary,
    .on_alive = on_alive,
    .on_closed = on_closed,
};

void delivery_connect(struct delivery *delivery, struct panel *panel, struct http_request *request)
{
	struct session *session = memory_zalloc(sizeof(*session));

	list_init(&session->node);
	list_init(&session->update);
	deadline_init(&session->deadline, on_deadline);
	session->position_told = cursor_get(delivery->cursors, panel->id).position;
	playback_init(&session->playback, session->position_told);
	session->websocket = websocket_accept(request, &events, session);
	if (!session->websocket) {
		free(session);
		return;
	}
	if (panel->session_count >= LIMIT_PANEL_SESSIONS)
		session_drop(container_of(panel->sessions.next, struct session, node));
	session->panel = panel;
	list_append(&panel->sessions, &session->node);
	panel->session_count++;
	panel_touch(panel);
	panel_seen(panel);
	panel_recall_push(panel);
	update_later(session);
	/* Hints only tell of what is newer; what happened while nobody here listened is read now.
	 */
	if (loop_now_ms(delivery->loop) - panel->loaded_ms > FRESH_MS)
		panel_load_start(panel);
}
