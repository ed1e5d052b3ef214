#include "panel.h"

#include <stdio.h>

static void send_client_info(struct panel *panel)
{
	struct client_info info = {
	    .firmware_version = panel->options.firmware_version,
	    .mac = panel->options.mac,
	    .image_url = panel->image_url,
	};
	struct buffer text = {0};

	message_client_info(&info, &text);
	link_send_text(panel->link, buffer_view(&text));
	buffer_finish(&text);
}

/* {"queued":n} or {"displaying":n}; only WebSocket panels say so. */
static void acknowledge(struct panel *panel, const char *what, uint32_t counter)
{
	char text[64];
	bool sent = false;

	snprintf(text, sizeof(text), "{\"%s\":%u}", what, counter);
	if (panel->link && !panel->options.no_ack)
		sent = link_send_text(panel->link, str_from(text));
	events_begin(&panel->events, what);
	events_int(&panel->events, "counter", counter);
	events_int(&panel->events, "acknowledged", sent);
	if (what[0] == 'd') {
		const struct player_picture *picture = &panel->player.current;

		events_int(&panel->events, "size", (int64_t)picture->size);
		events_int(&panel->events, "dwell_secs", picture->dwell_ms / 1000);
		events_sha256(&panel->events, "sha256", picture->data, picture->size);
	}
	events_end(&panel->events);
}

void panel_session_displaying(struct panel *panel, uint32_t counter)
{
	acknowledge(panel, "displaying", counter);
	/* A polling panel fetches the next picture as soon as this one is on. */
	if (panel->poll)
		poll_next(panel->poll);
}

static void queue_picture(struct panel *panel, const uint8_t *data, size_t size)
{
	uint32_t counter = player_queue(&panel->player, data, size, panel->dwell_s);

	acknowledge(panel, "queued", counter);
	loop_later(&panel->loop, &panel->player_changed);
}

static void on_connecting(void *context)
{
	struct panel *panel = context;

	events_begin(&panel->events, "connecting");
	events_text(&panel->events, "url", str_from(panel->options.url.shown));
	events_end(&panel->events);
	panel_show_state(panel, "connecting");
}

static void on_open(void *context, size_t answer_bytes)
{
	struct panel *panel = context;

	events_begin(&panel->events, "connected");
	events_int(&panel->events, "answer_bytes", (int64_t)answer_bytes);
	events_end(&panel->events);
	panel_show_state(panel, "connected");
	if (!panel->options.no_ack)
		send_client_info(panel);
}

static void on_order(struct panel *panel, const char *order, const char *url)
{
	events_begin(&panel->events, "order");
	events_text(&panel->events, "order", str_from(order));
	if (url)
		events_text(&panel->events, "url", str_from(url));
	events_end(&panel->events);
}

static void on_violation(void *context, const char *what)
{
	struct panel *panel = context;

	events_begin(&panel->events, "violation");
	events_text(&panel->events, "detail", str_from(what));
	events_end(&panel->events);
}

static void do_message(struct panel *panel, const struct message *message)
{
	/* The firmware's order: immediate first. */
	if (message->immediate) {
		bool shows = player_interrupt(&panel->player, loop_now_ms(&panel->loop));

		events_begin(&panel->events, "immediate");
		events_int(&panel->events, "had_queued", shows);
		events_end(&panel->events);
		loop_later(&panel->loop, &panel->player_changed);
	}
	if (message->dwell_s > 0)
		panel->dwell_s = (uint32_t)message->dwell_s;
	if (message->brightness >= 0)
		panel_show_brightness(panel, message->brightness);
	if (message->ota_url[0])
		on_order(panel, "ota_url", message->ota_url);
	if (message->image_url[0]) {
		on_order(panel, "image_url", message->image_url);
		snprintf(panel->image_url, sizeof(panel->image_url), "%s", message->image_url);
		if (!panel->options.no_ack)
			send_client_info(panel);
	}
	if (message->reboot) {
		on_order(panel, "reboot", NULL);
		loop_later(&panel->loop, &panel->reboot);
	}
}

static void on_text(void *context, struct str text)
{
	struct panel *panel = context;
	struct message message;

	events_begin(&panel->events, "text");
	events_text(&panel->events, "text", text);
	events_end(&panel->events);
	if (message_parse(text, &message))
		do_message(panel, &message);
	else
		on_violation(panel, "a text that is no JSON object");
}

static void on_binary(void *context, const uint8_t *data, size_t size)
{
	struct panel *panel = context;

	events_begin(&panel->events, "binary");
	events_int(&panel->events, "size", (int64_t)size);
	events_sha256(&panel->events, "sha256", data, size);
	events_end(&panel->events);
	queue_picture(panel, data, size);
}

static void on_pong(void *context)
{
	struct panel *panel = context;

	events_begin_frequent(&panel->events, "pong");
	events_end(&panel->events);
}

static void on_closed(void *context, const struct link_closed *closed)
{
	struct panel *panel = context;

	events_begin(&panel->events, "closed");
	events_int(&panel->events, "status", closed->status);
	events_int(&panel->events, "close_code", closed->close_code);
	events_int(&panel->events, "was_open", closed->was_open);
	events_text(&panel->events, "reason", str_from(closed->reason));
	events_int(&panel->events, "retry_ms", (int64_t)closed->retry_ms);
	events_end(&panel->events);
	panel_show_state(panel, "%.100s; again in %.1f s", closed->reason,
			 (double)closed->retry_ms / 1000);
}

static const struct link_events link_events = {
    .on_connecting = on_connecting,
    .on_open = on_open,
    .on_text = on_text,
    .on_binary = on_binary,
    .on_violation = on_violation,
    .on_pong = on_pong,
    .on_closed = on_closed,
};

static void on_request(void *context)
{
	struct panel *panel = context;

	events_begin(&panel->events, "request");
	events_text(&panel->events, "url", str_from(panel->options.url.shown));
	events_end(&panel->events);
}

static void on_polled(void *context, const struct poll_picture *picture)
{
	struct panel *panel = context;

	events_begin(&panel->events, "response");
	events_int(&panel->events, "size", (int64_t)picture->size);
	events_sha256(&panel->events, "sha256", picture->data, picture->size);
	events_int(&panel->events, "brightness", picture->brightness);
	events_int(&panel->events, "dwell_secs", picture->dwell_s);
	events_end(&panel->events);
	panel_show_state(panel, "polling");
	/* A missing header means full brightness, and the dwell of before. */
	panel_show_brightness(panel, picture->brightness >= 0 && picture->brightness <= 100
					 ? picture->brightness
					 : 100);
	if (picture->dwell_s >= 0 && picture->dwell_s < POLL_DWELL_END_S)
		panel->dwell_s = (uint32_t)picture->dwell_s;
	queue_picture(panel, picture->data, picture->size);
}

static void on_poll_failed(void *context, const struct poll_failure *failure)
{
	struct panel *panel = context;

	events_begin(&panel->events, "failed");
	events_int(&panel->events, "status", failure->status);
	events_text(&panel->events, "reason", str_from(failure->reason));
	events_int(&panel->events, "retry_ms", (int64_t)failure->retry_ms);
	events_end(&panel->events);
	panel_show_state(panel, "%.100s; again in %.1f s", failure->reason,
			 (double)failure->retry_ms / 1000);
}

static const struct poll_events poll_events = {
    .on_request = on_request,
    .on_picture = on_polled,
    .on_failed = on_poll_failed,
};

void panel_session_start(struct panel *panel)
{
	const struct panel_options *options = &panel->options;
	struct link_config link = {
	    .url = options->url,
	    .tls = panel->tls,
	    .retry_ms = options->retry_ms,
	    .ping_ms = options->ping_ms,
	    .pong_timeout_ms = options->pong_timeout_ms,
	};
	struct poll_config poll = {
	    .url = options->url,
	    .tls = panel->tls,
	    .firmware_version = options->firmware_version,
	    .retry_ms = options->retry_ms,
	};

	panel->dwell_s = PANEL_DWELL_DEFAULT_S;
	snprintf(panel->image_url, sizeof(panel->image_url), "%.*s", MESSAGE_URL_MAX - 1,
		 options->url.shown);
	if (options->polling)
		panel->poll = poll_start(&panel->loop, &poll, &poll_events, panel);
	else
		panel->link = link_start(&panel->loop, &link, &link_events, panel);
}

void panel_session_reboot(struct panel *panel)
{
	player_reset(&panel->player);
	panel->dwell_s = PANEL_DWELL_DEFAULT_S;
	link_reconnect(panel->link);
}

void panel_session_stop(struct panel *panel)
{
	link_stop(panel->link);
	poll_stop(panel->poll);
	panel->link = NULL;
	panel->poll = NULL;
}
