#include "panel/panel.h"

#include "complaint.h"
#include "display.h"
#include "memory.h"
#include "message.h"
#include "options.h"
#include "player.h"

#include <errno.h>
#include <signal.h>

enum {
	DWELL_DEFAULT_S = 10,	  /* until the server sets a dwell, as in the firmware */
	DWELL_POLLED_END_S = 300, /* a polled dwell of this or more is ignored */
	SIGNALS = 3,
	PANEL_REFUSED = 4, /* exit code: the server refused the device */
	AUTHORITIES_BYTES_MAX = 16 * 1024 * 1024,
};

struct panel {
	uv_loop_t loop;
	struct panel_options options;
	struct link link;
	struct player player;
	struct display display;
	uv_timer_t player_due;
	uv_timer_t later; /* for work that must not be done inside a callback of the link */
	uv_signal_t signals[SIGNALS];
	bool wants_reboot;
	bool wants_stop;
	bool is_stopped;
	int refusal;	  /* status with which the server has refused the device; 0: it has not */
	uint32_t dwell_s; /* for the next picture */
	char image_url[MESSAGE_URL_MAX]; /* as set by the server, or by the options */
	uint64_t shown_count;
	uint32_t shown_dwell_s;
	uint32_t shown_frames; /* frames of the picture that were shown */
	char state[160];       /* state of the link */
};

static void advance_player(struct panel *panel);

static void show_status(struct panel *panel)
{
	char text[SCREEN_STATUS_MAX];

	if (panel->display.counter == 0)
		snprintf(text, sizeof(text), " %s", panel->state);
	else
		snprintf(text, sizeof(text), " %s | #%u, %u frame%s, %u s | brightness %d %%%s",
			 panel->state, panel->display.counter, panel->shown_frames,
			 panel->shown_frames == 1 ? "" : "s", panel->shown_dwell_s,
			 panel->display.brightness,
			 panel->player.queued.data ? " | next is here" : "");
	display_set_status(&panel->display, text);
}

/* Closes everything that keeps the loop running. */
static void stop(struct panel *panel)
{
	panel->is_stopped = true;
	link_stop(&panel->link);
	uv_close((uv_handle_t *)&panel->player_due, NULL);
	uv_close((uv_handle_t *)&panel->later, NULL);
	for (int i = 0; i < SIGNALS; i++)
		uv_close((uv_handle_t *)&panel->signals[i], NULL);
	display_close(&panel->display);
	player_finish(&panel->player);
}

static void on_later(uv_timer_t *timer)
{
	struct panel *panel = timer->data;

	if (panel->wants_stop) {
		stop(panel);
	} else if (panel->wants_reboot) {
		panel->wants_reboot = false;
		player_reset(&panel->player);
		panel->dwell_s = DWELL_DEFAULT_S;
		advance_player(panel);
		link_reconnect(&panel->link);
	}
}

static void do_later(struct panel *panel, bool *what)
{
	*what = true;
	if (!panel->is_stopped)
		uv_timer_start(&panel->later, on_later, 0, 0);
}

static void on_player_due(uv_timer_t *timer)
{
	advance_player(timer->data);
}

static void advance_player(struct panel *panel)
{
	uint64_t now_ms = uv_now(&panel->loop);
	uint64_t next_ms;

	player_advance(&panel->player, now_ms);
	next_ms = player_next_ms(&panel->player);
	if (next_ms == PLAYER_NEVER)
		uv_timer_stop(&panel->player_due);
	else
		uv_timer_start(&panel->player_due, on_player_due,
			       next_ms > now_ms ? next_ms - now_ms : 0, 0);
	if (panel->display.is_broken)
		do_later(panel, &panel->wants_stop);
	show_status(panel);
}

/* Advances the player after all messages that came together. */
static void advance_player_later(struct panel *panel)
{
	uv_timer_start(&panel->player_due, on_player_due, 0, 0);
}

/* Sends {"queued":n} or {"displaying":n}; only WebSocket panels do. */
static bool acknowledge(struct panel *panel, const char *what, uint32_t counter)
{
	char text[64];
	int size = snprintf(text, sizeof(text), "{\"%s\":%u}", what, counter);

	return !panel->options.no_ack && link_send_text(&panel->link, text, (size_t)size);
}

static void on_displaying(void *context, const struct player_picture *picture)
{
	struct panel *panel = context;
	bool is_acknowledged = acknowledge(panel, "displaying", picture->counter);

	EVENT(&panel->display.events, "displaying", EVENT_NUMBER("counter", picture->counter),
	      EVENT_NUMBER("acknowledged", is_acknowledged), EVENT_NUMBER("size", picture->size),
	      EVENT_NUMBER("dwell_secs", picture->dwell_ms / 1000),
	      EVENT_SHA256("sha256", picture->data, picture->size));
	panel->shown_dwell_s = picture->dwell_ms / 1000;
	panel->shown_frames = 0;
	display_begin(&panel->display, picture->counter);
	/* A polling panel fetches the next picture as soon as this one is on. */
	if (!panel->link.config->url.is_websocket)
		link_poll(&panel->link);
	panel->shown_count++;
	if (panel->shown_count == panel->options.exit_after)
		do_later(panel, &panel->wants_stop);
}

static void on_frame(void *context, const struct pixels *pixels, uint32_t frame)
{
	struct panel *panel = context;

	if (panel->options.exit_after && panel->shown_count > panel->options.exit_after)
		return;
	panel->shown_frames = picture_frame_count(panel->player.picture);
	display_frame(&panel->display, pixels, frame);
}

static void on_failed(void *context, uint32_t counter, const char *fault)
{
	struct panel *panel = context;

	panel->display.is_new = false;
	EVENT(&panel->display.events, "decode_failed", EVENT_NUMBER("counter", counter),
	      EVENT_TEXT("detail", fault));
}

static const struct player_events player_events = {
    .on_displaying = on_displaying,
    .on_frame = on_frame,
    .on_failed = on_failed,
};

static void send_client_info(struct panel *panel)
{
	char *text = NULL;
	size_t size;
	FILE *file;

	if (panel->options.no_ack)
		return;
	file = memory_check(open_memstream(&text, &size));
	message_client_info(panel->options.link.firmware_version, panel->options.mac,
			    panel->image_url, file);
	fclose(file);
	link_send_text(&panel->link, memory_check(text), size);
	free(text);
}

static void on_open(void *context)
{
	send_client_info(context);
}

static void do_message(struct panel *panel, const struct message *message)
{
	struct events *events = &panel->display.events;

	/* The firmware's order: immediate first. */
	if (message->immediate) {
		bool had_queued = player_interrupt(&panel->player, uv_now(&panel->loop));

		EVENT(events, "immediate", EVENT_NUMBER("had_queued", had_queued));
		advance_player_later(panel);
	}
	if (message->dwell_s > 0)
		panel->dwell_s = (uint32_t)message->dwell_s;
	if (message->brightness >= 0)
		display_set_brightness(&panel->display, message->brightness);
	if (message->ota_url[0])
		EVENT(events, "order", EVENT_TEXT("order", "ota_url"),
		      EVENT_TEXT("url", message->ota_url));
	if (message->image_url[0]) {
		EVENT(events, "order", EVENT_TEXT("order", "image_url"),
		      EVENT_TEXT("url", message->image_url));
		memcpy(panel->image_url, message->image_url, sizeof(panel->image_url));
		send_client_info(panel);
	}
	if (message->reboot) {
		EVENT(events, "order", EVENT_TEXT("order", "reboot"));
		do_later(panel, &panel->wants_reboot);
	}
	show_status(panel);
}

static void on_text(void *context, const char *text, size_t size)
{
	struct panel *panel = context;
	struct message message;

	events_write(&panel->display.events, "text",
		     (struct event_field[]){{"text", EVENT_TEXT, 0, text, size}, {0}});
	if (message_parse(text, size, &message))
		do_message(panel, &message);
	else
		EVENT(&panel->display.events, "violation",
		      EVENT_TEXT("detail", "a text message that is not a JSON object"));
}

static void on_picture(void *context, const struct link_picture *picture)
{
	struct panel *panel = context;
	uint32_t counter;
	bool is_acknowledged;

	/* A missing header means full brightness, and an unchanged dwell. */
	if (!panel->link.config->url.is_websocket)
		display_set_brightness(&panel->display,
				       picture->brightness >= 0 && picture->brightness <= 100
					   ? picture->brightness
					   : 100);
	if (picture->dwell_s >= 0 && picture->dwell_s < DWELL_POLLED_END_S)
		panel->dwell_s = (uint32_t)picture->dwell_s;
	counter = player_queue(&panel->player, picture->data, picture->size, panel->dwell_s);
	is_acknowledged = acknowledge(panel, "queued", counter);
	EVENT(&panel->display.events, "queued", EVENT_NUMBER("counter", counter),
	      EVENT_NUMBER("acknowledged", is_acknowledged));
	advance_player_later(panel);
}

static void on_state(void *context, const char *text)
{
	struct panel *panel = context;

	snprintf(panel->state, sizeof(panel->state), "%s", text);
	show_status(panel);
}

/* Ends the process if only a person watches, who can give the right URL. If events or frames are
 * written, it continues as the firmware does.
 */
static void on_refused(void *context, int status)
{
	struct panel *panel = context;

	if (panel->options.events || panel->options.frames || panel->options.quiet)
		return;
	panel->refusal = status;
	do_later(panel, &panel->wants_stop);
}

static const struct link_events link_events = {
    .on_refused = on_refused,
    .on_open = on_open,
    .on_text = on_text,
    .on_picture = on_picture,
    .on_state = on_state,
};

static void on_signal(uv_signal_t *handle, int number)
{
	struct panel *panel = handle->data;

	(void)number;
	do_later(panel, &panel->wants_stop);
}

/* Reads the file once: it may be a pipe. Returns false after printing why there are none. */
static bool read_authorities(struct panel *panel)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----";
	const char *path = panel->options.authorities_file;
	struct curl_blob *blob = &panel->options.link.authorities;
	FILE *file = fopen(path, "re");
	size_t room = AUTHORITIES_BYTES_MAX;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	blob->data = memory_zalloc(room);
	blob->len = fread(blob->data, 1, room, file);
	fclose(file);
	if (memmem(blob->data, blob->len, begin, strlen(begin)))
		return true;
	complain("%s contains no certificate in PEM", path);
	return false;
}

static int start(struct panel *panel)
{
	static const int numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
	const struct panel_options *options = &panel->options;
	const struct display_settings display = {options->frames, options->events, options->quiet};

	if (options->link.url.is_tls && options->authorities_file && !read_authorities(panel))
		return 1;
	if (display_open(&panel->display, &panel->loop, &display)) {
		display_close(&panel->display);
		return 1;
	}
	player_init(&panel->player, &player_events, panel);
	panel->dwell_s = DWELL_DEFAULT_S;
	snprintf(panel->image_url, sizeof(panel->image_url), "%s", options->link.shown);
	uv_timer_init(&panel->loop, &panel->player_due);
	uv_timer_init(&panel->loop, &panel->later);
	panel->player_due.data = panel->later.data = panel;
	for (int i = 0; i < SIGNALS; i++) {
		uv_signal_init(&panel->loop, &panel->signals[i]);
		panel->signals[i].data = panel;
		uv_signal_start(&panel->signals[i], on_signal, numbers[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	link_start(&panel->link, &panel->loop, &options->link, &panel->display.events, &link_events,
		   panel);
	return 0;
}

int panel_main(int argc, char **argv, panel_mask *mask)
{
	static struct panel panel;
	enum options_result result;
	int exit_code;

	complaint_set_mask(mask);
	result = panel_options_parse(argc, argv, &panel.options);
	exit_code = result == OPTIONS_HELP ? 0 : 2;
	if (result == OPTIONS_RUN) {
		uv_loop_init(&panel.loop);
		exit_code = start(&panel);
		uv_run(&panel.loop, UV_RUN_DEFAULT);
		uv_loop_close(&panel.loop);
		free(panel.options.link.authorities.data);
	}
	panel_options_finish(&panel.options);
	if (panel.refusal) {
		complain("the server answered %d: it does not know this device, or the key in the "
			 "URL is wrong",
			 panel.refusal);
		return PANEL_REFUSED;
	}
	return panel.display.is_broken ? 1 : exit_code;
}
