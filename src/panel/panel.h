/* The panel's parts together. panel.c starts and ends them, panel_session.c is what the server's
 * messages do, panel_show.c is what is seen of it. */
#pragma once

#include "events.h"
#include "frames.h"
#include "link.h"
#include "message.h"
#include "options.h"
#include "player.h"
#include "poll.h"
#include "terminal.h"

enum {
	PANEL_DWELL_DEFAULT_S = 10, /* until the server says something, as in the firmware */
	PANEL_SIGNALS = 3,
};

struct panel {
	struct loop loop;
	struct panel_options options;
	struct tls_client *tls;
	struct link *link; /* one of the two is NULL */
	struct poll *poll;
	struct player player;
	struct deadline player_due;
	struct later player_changed; /* advance the player, after all messages that came together */
	struct later stop;
	struct later reboot;
	uint32_t dwell_s; /* for the next picture */
	int brightness;
	char image_url[MESSAGE_URL_MAX]; /* as the server ordered, or the one of the options */
	uint64_t shown_count;
	struct {
		uint32_t counter; /* 0: nothing yet */
		uint32_t dwell_s;
		uint32_t frame_count;
	} shown;
	struct events events;
	struct frames frames;
	struct pixels pixels;	   /* of the newest frame, before brightness */
	bool new_picture;	   /* whose first frame has not come yet */
	struct terminal *terminal; /* NULL: nothing is drawn */
	struct screen screen;
	struct buffer text;
	char state[160]; /* of the link, for the status line */
	uv_signal_t signals[PANEL_SIGNALS];
	int exit_code;
};

/* Starts the link or the polling. */
void panel_session_start(struct panel *panel);
void panel_session_stop(struct panel *panel);
/* What a panel does when it is told to reboot. */
void panel_session_reboot(struct panel *panel);
/* The player has taken a picture. */
void panel_session_displaying(struct panel *panel, uint32_t counter);

/* Opens what the options ask for. 0, or a negative errno after saying on standard error why. */
int panel_show_open(struct panel *panel);
void panel_show_close(struct panel *panel);
void panel_show_frame(struct panel *panel, const struct pixels *pixels, uint32_t frame);
void panel_show_brightness(struct panel *panel, int brightness);
/* The status line's part about the link. */
__attribute__((format(printf, 2, 3))) void panel_show_state(struct panel *panel, const char *format,
							    ...);
/* Draws what changed. */
void panel_show_update(struct panel *panel);
