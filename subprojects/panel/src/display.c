#include "display.h"

#include "complaint.h"
#include "memory.h"

#include <unistd.h>

static void draw(struct display *display)
{
	char *text = NULL;
	size_t size;
	FILE *file;

	if (!display->terminal || !terminal_has_room(display->terminal))
		return;
	file = memory_check(open_memstream(&text, &size));
	screen_draw(&display->screen, &display->pixels, display->brightness, display->status, file);
	fclose(file);
	terminal_write(display->terminal, memory_check(text), size);
}

static void write_frame(struct display *display, uint32_t frame)
{
	struct pixels dark = {.is_wide = display->pixels.is_wide};
	const struct pixels *pixels = display->brightness == 0 ? &dark : &display->pixels;
	char name[FRAMES_NAME_MAX] = "";
	int error = 0;

	if (display->frames.directory_fd >= 0)
		error = frames_write(&display->frames, pixels, name);
	if (error) {
		complain("cannot write a frame: %s", uv_strerror(error));
		display->is_broken = true;
		return;
	}
	EVENT(&display->events, "frame", EVENT_NUMBER("counter", display->counter),
	      EVENT_NUMBER("frame", frame),
	      EVENT_SHA256("pixels_sha256", pixels->rgb, pixels_size(pixels)),
	      {"file", name[0] ? EVENT_TEXT : EVENT_END, 0, name, strlen(name)});
}

void display_begin(struct display *display, uint32_t counter)
{
	display->counter = counter;
	display->is_new = true;
}

void display_frame(struct display *display, const struct pixels *pixels, uint32_t frame)
{
	bool has_changed = display->pixels.is_wide != pixels->is_wide ||
			   memcmp(display->pixels.rgb, pixels->rgb, pixels_size(pixels)) != 0;

	display->pixels = *pixels;
	if (display->is_new || (has_changed && display->brightness > 0))
		write_frame(display, frame);
	display->is_new = false;
	draw(display);
}

void display_set_brightness(struct display *display, int brightness)
{
	bool was_dark = display->brightness == 0;

	if (brightness == display->brightness)
		return;
	display->brightness = brightness;
	EVENT(&display->events, "brightness", EVENT_NUMBER("value", brightness));
	if (was_dark != (brightness == 0) && display->counter > 0)
		write_frame(display, 0);
	draw(display);
}

void display_set_status(struct display *display, const char *status)
{
	snprintf(display->status, sizeof(display->status), "%s", status);
	/* A reason may contain text that a server sent. */
	for (char *c = display->status; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
	draw(display);
}

static void on_redraw(void *context)
{
	struct display *display = context;
	int columns;
	int rows;

	terminal_size(display->terminal, &columns, &rows);
	screen_reset(&display->screen, columns, rows);
	draw(display);
}

static void on_room(void *context)
{
	draw(context);
}

static const struct terminal_events terminal_events = {
    .on_redraw = on_redraw,
    .on_room = on_room,
};

static int display_fail(const char *what, int error)
{
	complain("%s: %s", what, uv_strerror(error));
	return error;
}

int display_open(struct display *display, uv_loop_t *loop, const struct display_settings *settings)
{
	bool stdout_is_free =
	    !settings->is_quiet && !(settings->events && strcmp(settings->events, "-") == 0);
	bool draws = stdout_is_free && isatty(STDOUT_FILENO);
	int error = frames_open(&display->frames, settings->frames);

	display->brightness = 100;
	if (error)
		return display_fail(settings->frames, error);
	error = events_open(&display->events, settings->events, stdout_is_free && !draws);
	if (error)
		return display_fail(settings->events, error);
	if (!draws)
		return 0;
	error = terminal_open(loop, &terminal_events, display, &display->terminal);
	if (error)
		return display_fail("cannot draw on the terminal", error);
	on_redraw(display);
	return 0;
}

void display_close(struct display *display)
{
	terminal_close(display->terminal);
	display->terminal = NULL;
	events_close(&display->events);
	frames_close(&display->frames);
}
