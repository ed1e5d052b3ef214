/* Shows a panel's screen: on the terminal, in PNG files, and as events. */
#pragma once

#include "events.h"
#include "frames.h"
#include "screen.h"
#include "terminal.h"

struct display_settings {
	const char *frames; /* a directory; NULL: no files are written */
	const char *events; /* a file, "-" or NULL */
	bool is_quiet;
};

struct display {
	struct events events;
	struct frames frames;
	struct terminal *terminal; /* NULL: nothing is drawn */
	struct screen screen;
	struct pixels pixels; /* of the newest frame, before brightness */
	int brightness;
	bool is_new;	  /* the picture whose first frame has not come yet */
	uint32_t counter; /* of the picture that is on; 0: none was */
	char status[SCREEN_STATUS_MAX];
	bool is_broken; /* a file could not be written */
};

/* 0, or a negative errno after saying on standard error why. */
int display_open(struct display *display, uv_loop_t *loop, const struct display_settings *settings);
void display_close(struct display *display);

/* A picture comes on; its frames follow. */
void display_begin(struct display *display, uint32_t counter);
void display_frame(struct display *display, const struct pixels *pixels, uint32_t frame);
void display_set_brightness(struct display *display, int brightness);
/* Sets the status line, for which there may be no room. Draws what changed. */
void display_set_status(struct display *display, const char *status);
