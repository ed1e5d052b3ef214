#include "panel.h"

#include "base/require.h"
#include "panel/panel.h"

#include <signal.h>
#include <sodium.h>
#include <stdio.h>

static void schedule_player(struct panel *panel)
{
	uint64_t next_ms = player_next_ms(&panel->player);

	if (next_ms == PLAYER_NEVER)
		deadline_clear(&panel->loop, &panel->player_due);
	else
		deadline_set_at(&panel->loop, &panel->player_due, next_ms);
}

static void advance_player(struct panel *panel)
{
	player_advance(&panel->player, loop_now_ms(&panel->loop));
	schedule_player(panel);
	panel_show_update(panel);
}

static void on_player_due(struct deadline *deadline)
{
	advance_player(container_of(deadline, struct panel, player_due));
}

static void on_player_changed(struct later *later)
{
	advance_player(container_of(later, struct panel, player_changed));
}

static void on_displaying(void *context, const struct player_picture *picture)
{
	struct panel *panel = context;

	panel->shown.counter = picture->counter;
	panel->shown.dwell_s = picture->dwell_ms / 1000;
	panel->shown.frame_count = 0;
	panel->new_picture = true;
	panel_session_displaying(panel, picture->counter);
	panel->shown_count++;
	if (panel->shown_count == panel->options.exit_after)
		loop_later(&panel->loop, &panel->stop);
}

static void on_frame(void *context, const struct pixels *pixels, uint32_t frame)
{
	struct panel *panel = context;

	if (panel->options.exit_after && panel->shown_count > panel->options.exit_after)
		return;
	panel->shown.frame_count = picture_frame_count(panel->player.picture);
	panel_show_frame(panel, pixels, frame);
}

static void on_failed(void *context, uint32_t counter, const char *fault)
{
	struct panel *panel = context;

	panel->new_picture = false;
	events_begin(&panel->events, "decode_failed");
	events_int(&panel->events, "counter", counter);
	events_text(&panel->events, "detail", str_from(fault));
	events_end(&panel->events);
}

static const struct player_events player_events = {
    .on_displaying = on_displaying,
    .on_frame = on_frame,
    .on_failed = on_failed,
};

static void on_reboot(struct later *later)
{
	struct panel *panel = container_of(later, struct panel, reboot);

	if (panel->link)
		panel_session_reboot(panel);
	schedule_player(panel);
}

/* Closes all that keeps the loop running. */
static void on_stop(struct later *later)
{
	struct panel *panel = container_of(later, struct panel, stop);

	panel_session_stop(panel);
	deadline_clear(&panel->loop, &panel->player_due);
	loop_later_cancel(&panel->player_changed);
	loop_later_cancel(&panel->reboot);
	for (int i = 0; i < PANEL_SIGNALS; i++)
		uv_close((uv_handle_t *)&panel->signals[i], NULL);
	panel_show_close(panel);
	player_finish(&panel->player);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct panel *panel = handle->data;

	(void)number;
	loop_later(&panel->loop, &panel->stop);
}

static void start_signals(struct panel *panel)
{
	static const int numbers[PANEL_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

	for (int i = 0; i < PANEL_SIGNALS; i++) {
		require(uv_signal_init(&panel->loop.uv, &panel->signals[i]) == 0);
		panel->signals[i].data = panel;
		uv_signal_start(&panel->signals[i], on_signal, numbers[i]);
	}
	signal(SIGPIPE, SIG_IGN);
}

static int start(struct panel *panel)
{
	const char *fault;

	if (panel_url_is_tls(&panel->options.url)) {
		panel->tls = tls_client_create(panel->options.ca_file, &fault);
		if (!panel->tls) {
			fprintf(stderr, "displayctl panel: %s\n", fault);
			return 1;
		}
	}
	if (panel_show_open(panel)) {
		panel_show_close(panel);
		return 1;
	}
	panel->brightness = 100;
	player_init(&panel->player, &player_events, panel);
	deadline_init(&panel->player_due, on_player_due);
	loop_later_init(&panel->player_changed, on_player_changed);
	loop_later_init(&panel->stop, on_stop);
	loop_later_init(&panel->reboot, on_reboot);
	start_signals(panel);
	panel_session_start(panel);
	return 0;
}

int panel_main(int argc, char **argv)
{
	static struct panel panel;

	require(sodium_init() >= 0);
	panel = (struct panel){0};
	switch (panel_options_parse(argc, argv, &panel.options)) {
	case OPTIONS_HELP:
		return 0;
	case OPTIONS_WRONG:
		return 2;
	case OPTIONS_RUN:
		break;
	}
	require(loop_init(&panel.loop) == 0);
	panel.exit_code = start(&panel);
	if (panel.exit_code == 0)
		loop_run(&panel.loop);
	loop_finish(&panel.loop);
	tls_client_destroy(panel.tls);
	return panel.exit_code;
}
