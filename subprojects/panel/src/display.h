/* Shows a panel's screen: on the terminal, in PNG files, and as events. */
#pragma once

#include "events.h"
#include "frames.h"
#include "screen.h"
#include "terminal.h"

struct display_settings {
	const char *frames; /* directory of the PNG files; NULL: none are written */
	const char *events; /* a file, "-" or NULL */
	bool is_quiet;
};

struct display {
	struct events events;
	struct frames frames;
	struct terminal *terminal; /* NULL: nothing is drawn */
	struct screen screen;
	struct pixels pixels; /* the newest frame, without brightness */
	int brightness;
	bool is_new;	  /* the first frame of the picture has not come yet */
	uint32_t counter; /* number of the displayed picture; 0: none yet */
	char status[SCREEN_STATUS_MAX];
	bool is_broken; /* a file could not be written */
};

/* Opens all outputs. Returns 0, or a negative errno after a message on standard error. */
int display_open(struct display *display, uv_loop_t *loop, const struct display_settings *settings);
void display_close(struct display *display);

/* Notes that a picture is displayed now; its frames follow. */
void display_begin(struct display *display, uint32_t counter);
void display_frame(struct display *display, const struct pixels *pixels, uint32_t frame);
void display_set_brightness(struct display *display, int brightness);
/* Sets the status line, for which there may be no room, and draws the changes. */
void display_set_status(struct display *display, const char *status);
