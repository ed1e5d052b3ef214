/* A test bed: playback, a device's content and a panel that behaves like firmware, on a simulated
 * clock. Messages between them take time and keep their order. */
#pragma once

#include "domain/playback.h"

enum firmware {
	FIRMWARE_14,		  /* repeats whole periods; "immediate" ends one */
	FIRMWARE_16,		  /* idle after the dwell, then takes a new picture at once */
	FIRMWARE_DISPLAYING_ONLY, /* like 14, but never sends "queued" */
	FIRMWARE_SILENT,	  /* like 14, but never sends anything */
	FIRMWARE_INSTANT,	  /* shows each picture at once, and never sends anything */
	FIRMWARE_COUNT,
};

/* A picture on the screen. */
struct shown {
	struct playback_item item;
	int64_t from_ms;
	int64_t to_ms; /* INT64_MAX: still shown */
};

/* A message under way. */
struct packet {
	enum { PICTURE, IMMEDIATE, BRIGHTNESS, QUEUED, DISPLAYING } kind;
	int64_t at_ms;
	int64_t number; /* dwell in seconds, percent, or the panel's count */
	struct playback_item item;
};

enum { LINE_MAX = 256, INSTALLATIONS_MAX = 100, SHOWN_MAX = 20000 };

struct line {
	struct packet packets[LINE_MAX];
	unsigned count;
	int64_t last_ms;
};

struct panel_model {
	enum firmware firmware;
	struct packet playing, queued;
	bool has_playing, has_queued, is_resting;
	int64_t period_end_ms;
	int64_t count;
	int brightness;
};

struct bed {
	struct playback playback;
	struct content content;
	struct content_installation installations[INSTALLATIONS_MAX];
	struct panel_model panel;
	struct line to_panel, to_server;
	bool is_connected;
	int64_t now_ms, wake_ms;
	int64_t generation; /* generation of the device */
	int64_t position_kept;
	unsigned latency_ms;	 /* largest delay in each direction */
	unsigned loss_per_mille; /* loss of the panel's messages */
	bool is_out_of_memory;	 /* no picture is in memory */
	uint64_t random;
	uint64_t seed; /* set by the test */
	/* Observations. */
	struct shown shown[SHOWN_MAX];
	unsigned shown_count;
	unsigned pictures_sent, immediates_sent, brightness_sent, pushes_displayed;
	struct packet last_sent;
	bool was_brightness_alone; /* brightness was sent alone in this update */
	unsigned idle_updates;	   /* updates in a row that asked for another one at once */
};

enum { INTERVAL_S = 15 };

uint64_t bed_random(struct bed *bed, uint64_t below);

/* Allocates a zeroed bed, for bed_init(). */
struct bed *bed_create(void);
void bed_destroy(struct bed *bed);

/* Initializes the bed: no installations, 60 % brightness, not connected yet. */
void bed_init(struct bed *bed, enum firmware firmware, uint64_t seed);
void bed_connect(struct bed *bed);
void bed_disconnect(struct bed *bed);

/* Runs the clock; playback decides at the times that it has requested, and after every event. */
void bed_run(struct bed *bed, int64_t for_ms);
/* Makes playback decide now; call it after a change of the content. */
void bed_update(struct bed *bed);
struct playback_clock bed_clock(const struct bed *bed);

/* Changes, each with an update. */
int64_t bed_add_installation(struct bed *bed, uint32_t loop_ms);
void bed_replace_installation(struct bed *bed, int64_t position, uint32_t loop_ms);
void bed_delete_installation(struct bed *bed, int64_t position);
void bed_push_installation(struct bed *bed, int64_t position);
void bed_push_temporary(struct bed *bed, int64_t duration_s, uint32_t loop_ms);

/* Returns the item on the screen; kind PLAYBACK_NOTHING: a picture from before the server. */
struct playback_item bed_screen(const struct bed *bed);
