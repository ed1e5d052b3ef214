#include "panel.h"

#include "base/require.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static struct pixels visible(const struct panel *panel)
{
	return panel->brightness == 0 ? (struct pixels){0} : panel->pixels;
}

static void write_frame(struct panel *panel, uint32_t frame)
{
	char name[FRAMES_NAME_MAX];
	struct pixels pixels = visible(panel);
	int error = 0;

	if (panel->frames.directory_fd >= 0)
		error = frames_write(&panel->frames, &pixels, name);
	if (error) {
		fprintf(stderr, "displayctl panel: cannot write to %s: %s\n", panel->options.frames,
			uv_strerror(error));
		panel->exit_code = 1;
		loop_later(&panel->loop, &panel->stop);
		return;
	}
	events_begin_frequent(&panel->events, "frame");
	events_int(&panel->events, "counter", panel->shown.counter);
	events_int(&panel->events, "frame", frame);
	events_sha256(&panel->events, "pixels_sha256", pixels.rgb, sizeof(pixels.rgb));
	if (panel->frames.directory_fd >= 0)
		events_text(&panel->events, "file", str_from(name));
	events_end(&panel->events);
}

void panel_show_frame(struct panel *panel, const struct pixels *pixels, uint32_t frame)
{
	bool changed = memcmp(&panel->pixels, pixels, sizeof(*pixels)) != 0;

	panel->pixels = *pixels;
	if (panel->new_picture || (changed && panel->brightness > 0))
		write_frame(panel, frame);
	panel->new_picture = false;
	panel_show_update(panel);
}

void panel_show_brightness(struct panel *panel, int brightness)
{
	bool was_dark = panel->brightness == 0;

	if (brightness == panel->brightness)
		return;
	panel->brightness = brightness;
	events_begin(&panel->events, "brightness");
	events_int(&panel->events, "value", brightness);
	events_end(&panel->events);
	if (was_dark != (brightness == 0) && panel->shown.counter > 0)
		write_frame(panel, 0);
	panel_show_update(panel);
}

void panel_show_state(struct panel *panel, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(panel->state, sizeof(panel->state), format, args);
	va_end(args);
	/* A reason may hold what a server sent. */
	for (char *c = panel->state; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
	panel_show_update(panel);
}

static void describe(const struct panel *panel, char *text, size_t size)
{
	int used = snprintf(text, size, " %s", panel->state);

	if (panel->shown.counter > 0 && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used,
			 " | #%u, %u frame%s, %u s | brightness %d %%%s", panel->shown.counter,
			 panel->shown.frame_count, panel->shown.frame_count == 1 ? "" : "s",
			 panel->shown.dwell_s, panel->brightness,
			 panel->player.queued.data ? " | next is here" : "");
}

void panel_show_update(struct panel *panel)
{
	char status[SCREEN_STATUS_MAX];

	if (!panel->terminal || !terminal_has_room(panel->terminal))
		return;
	describe(panel, status, sizeof(status));
	screen_draw(&panel->screen, &panel->pixels, panel->brightness, status, &panel->text);
	terminal_write(panel->terminal, &panel->text);
}

static void on_redraw(void *context)
{
	struct panel *panel = context;
	int columns;
	int rows;

	terminal_size(panel->terminal, &columns, &rows);
	screen_reset(&panel->screen, columns, rows);
	buffer_append_str(&panel->text, STR("\x1b[0m\x1b[2J"));
	panel_show_update(panel);
}

static void on_room(void *context)
{
	panel_show_update(context);
}

static const struct terminal_events terminal_events = {
    .on_redraw = on_redraw,
    .on_room = on_room,
};

static int open_terminal(struct panel *panel)
{
	int columns;
	int rows;
	int error = terminal_open(&panel->loop, &terminal_events, panel, &panel->terminal);

	if (error) {
		fprintf(stderr, "displayctl panel: cannot draw on the terminal: %s\n",
			uv_strerror(error));
		return error;
	}
	terminal_size(panel->terminal, &columns, &rows);
	screen_reset(&panel->screen, columns, rows);
	return 0;
}

int panel_show_open(struct panel *panel)
{
	const struct panel_options *options = &panel->options;
	bool stdout_is_free =
	    !options->quiet && !(options->events && strcmp(options->events, "-") == 0);
	bool draws = stdout_is_free && isatty(STDOUT_FILENO);
	int error = frames_open(&panel->frames, options->frames);

	if (error) {
		fprintf(stderr, "displayctl panel: %s: %s\n", options->frames, uv_strerror(error));
		return error;
	}
	error = events_open(&panel->events, options->events, stdout_is_free && !draws);
	if (error) {
		fprintf(stderr, "displayctl panel: %s: %s\n", options->events, uv_strerror(error));
		return error;
	}
	return draws ? open_terminal(panel) : 0;
}

void panel_show_close(struct panel *panel)
{
	terminal_close(panel->terminal);
	panel->terminal = NULL;
	events_close(&panel->events);
	frames_close(&panel->frames);
	buffer_finish(&panel->text);
}
