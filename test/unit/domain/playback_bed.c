#include "playback_bed.h"
#include "base/memory.h"

#include "../cmocka_test.h"

#include <stdlib.h>
#include <string.h>

/* 2026-11-20T12:00:00Z */
static const int64_t start_us = INT64_C(1795176000) * 1000000;

uint64_t bed_random(struct bed *bed, uint64_t below)
{
	/* xorshift64* */
	bed->random ^= bed->random >> 12;
	bed->random ^= bed->random << 25;
	bed->random ^= bed->random >> 27;
	return (bed->random * UINT64_C(2685821657736338717) >> 33) % below;
}

struct playback_clock bed_clock(const struct bed *bed)
{
	return (struct playback_clock){.now_ms = bed->now_ms,
				       .wall_us = start_us + bed->now_ms * 1000};
}

/* ---- the line between them ---- */

static void line_put(struct bed *bed, struct line *line, struct packet packet)
{
	int64_t at_ms = bed->now_ms + (int64_t)bed_random(bed, bed->latency_ms + 1);

	assert_true(line->count < LINE_MAX);
	packet.at_ms = at_ms > line->last_ms ? at_ms : line->last_ms;
	line->last_ms = packet.at_ms;
	line->packets[line->count++] = packet;
}

static struct packet line_take(struct line *line)
{
	struct packet first = line->packets[0];

	memmove(&line->packets[0], &line->packets[1], --line->count * sizeof(first));
	return first;
}

static int64_t line_next_ms(const struct line *line)
{
	return line->count ? line->packets[0].at_ms : INT64_MAX;
}

/* ---- the panel ---- */

static void panel_say(struct bed *bed, int kind, int64_t number)
{
	enum firmware firmware = bed->panel.firmware;

	if (!bed->is_connected || firmware == FIRMWARE_SILENT || firmware == FIRMWARE_INSTANT ||
	    (firmware == FIRMWARE_DISPLAYING_ONLY && kind == QUEUED) ||
	    bed_random(bed, 1000) < bed->loss_per_mille)
		return;
	line_put(bed, &bed->to_server, (struct packet){.kind = kind, .number = number});
}

static int64_t period_of(const struct packet *picture, enum firmware firmware)
{
	int64_t dwell_ms = picture->number * 1000;
	int64_t loop_ms = picture->item.loop_ms;

	if (loop_ms == 0 || firmware == FIRMWARE_16)
		return dwell_ms;
	return (dwell_ms + loop_ms - 1) / loop_ms * loop_ms;
}

static void panel_show(struct bed *bed, struct packet picture)
{
	struct panel_model *panel = &bed->panel;

	if (bed->shown_count)
		bed->shown[bed->shown_count - 1].to_ms = bed->now_ms;
	assert_true(bed->shown_count < SHOWN_MAX);
	bed->shown[bed->shown_count++] =
	    (struct shown){.item = picture.item, .from_ms = bed->now_ms, .to_ms = INT64_MAX};
	panel->playing = picture;
	panel->has_playing = true;
	panel->is_resting = false;
	panel->period_end_ms = bed->now_ms + period_of(&picture, panel->firmware);
	panel_say(bed, DISPLAYING, picture.at_ms); /* at_ms: its count, see panel_queue() */
}

static void panel_take_queued(struct bed *bed)
{
	bed->panel.has_queued = false;
	panel_show(bed, bed->panel.queued);
}

static void panel_queue(struct bed *bed, struct packet picture)
{
	struct panel_model *panel = &bed->panel;

	picture.at_ms = ++panel->count;
	panel->queued = picture;
	panel->has_queued = true;
	if (panel->firmware != FIRMWARE_INSTANT && panel->has_playing && !panel->is_resting) {
		panel_say(bed, QUEUED, panel->count);
		return;
	}
	/* Taken at once: "displaying" may overtake "queued". */
	if (bed_random(bed, 2)) {
		panel_say(bed, QUEUED, panel->count);
		panel_take_queued(bed);
	} else {
		panel_take_queued(bed);
		panel_say(bed, QUEUED, panel->count);
	}
}

static void panel_interrupt(struct bed *bed)
{
	struct panel_model *panel = &bed->panel;

	if (panel->has_queued)
		panel_take_queued(bed);
	else if (panel->firmware == FIRMWARE_16)
		panel->is_resting = true;
	else
		panel->period_end_ms = bed->now_ms + period_of(&panel->playing, panel->firmware);
}

static void panel_end_period(struct bed *bed)
{
	struct panel_model *panel = &bed->panel;

	if (panel->has_queued)
		panel_take_queued(bed);
	else if (panel->firmware == FIRMWARE_16)
		panel->is_resting = true;
	else
		panel->period_end_ms += period_of(&panel->playing, panel->firmware);
}

static int64_t panel_next_ms(const struct panel_model *panel)
{
	return panel->has_playing && !panel->is_resting ? panel->period_end_ms : INT64_MAX;
}

static void panel_take(struct bed *bed)
{
	struct packet packet = line_take(&bed->to_panel);

	if (packet.kind == PICTURE)
		panel_queue(bed, packet);
	else if (packet.kind == IMMEDIATE)
		panel_interrupt(bed);
	else
		bed->panel.brightness = (int)packet.number;
}

/* ---- the server ---- */

static bool is_dark(const struct bed *bed)
{
	return display_mode_at(&bed->content, bed_clock(bed).wall_us).kind == DISPLAY_MODE_DARK;
}

static void on_brightness(void *context, int percent)
{
	struct bed *bed = context;

	bed->brightness_sent++;
	bed->was_brightness_alone = true;
	line_put(bed, &bed->to_panel, (struct packet){.kind = BRIGHTNESS, .number = percent});
}

static void on_immediate(void *context)
{
	struct bed *bed = context;

	assert_false(is_dark(bed));
	assert_true(bed->is_connected);
	bed->immediates_sent++;
	line_put(bed, &bed->to_panel, (struct packet){.kind = IMMEDIATE});
}

/* Checks that the sent item is current. */
static void check_item(const struct bed *bed, const struct playback_item *item)
{
	const struct content_installation *installation = content_at(&bed->content, item->position);
	struct display_mode mode = display_mode_at(&bed->content, bed_clock(bed).wall_us);

	assert_int_not_equal(item->kind, PLAYBACK_NOTHING);
	if (item->kind == PLAYBACK_INSTALLATION)
		assert_true(installation && display_mode_shows(&mode, installation));
	if (item->position != -1)
		assert_int_equal(item->picture_generation, installation->picture_generation);
	if (item->kind == PLAYBACK_PUSH) {
		assert_true(display_mode_takes_pushes(&mode));
		assert_int_equal(item->generation, bed->content.push.generation);
	}
	if (item->kind == PLAYBACK_BUILT_IN)
		assert_null(display_mode_next(&mode, -1));
}

static bool on_picture(void *context, const struct playback_item *item, int64_t dwell_s,
		       int brightness, bool hurried)
{
	struct bed *bed = context;

	assert_false(is_dark(bed));
	assert_in_range(dwell_s, 1, 3600);
	assert_false(bed->was_brightness_alone); /* it goes with the picture */
	check_item(bed, item);
	if (bed->is_out_of_memory)
		return false;
	bed->last_sent = (struct packet){.kind = PICTURE, .number = dwell_s, .item = *item};
	if (brightness != -1)
		line_put(bed, &bed->to_panel,
			 (struct packet){.kind = BRIGHTNESS, .number = brightness});
	bed->pictures_sent++;
	line_put(bed, &bed->to_panel, bed->last_sent);
	if (hurried)
		on_immediate(bed);
	return true;
}

static void on_push_displayed(void *context, int64_t generation, int64_t wall_us)
{
	struct bed *bed = context;

	assert_int_equal(generation, bed->content.push.generation);
	assert_int_equal(wall_us, bed_clock(bed).wall_us);
	bed->pushes_displayed++;
}

static struct playback_output output_of(struct bed *bed)
{
	return (struct playback_output){
	    .brightness = on_brightness,
	    .picture = on_picture,
	    .immediate = on_immediate,
	    .push_displayed = on_push_displayed,
	    .context = bed,
	};
}

void bed_update(struct bed *bed)
{
	struct playback_output output = output_of(bed);

	if (!bed->is_connected)
		return;
	bed->was_brightness_alone = false;
	bed->wake_ms = playback_update(&bed->playback, &bed->content, bed_clock(bed), &output);
	bed->position_kept = bed->playback.rotation_position;
	/* Detect a busy loop. */
	assert_true(bed->wake_ms >= bed->now_ms);
	bed->idle_updates = bed->wake_ms == bed->now_ms ? bed->idle_updates + 1 : 0;
	assert_true(bed->idle_updates < 3);
}

static void server_take(struct bed *bed)
{
	struct packet packet = line_take(&bed->to_server);
	struct playback_output output = output_of(bed);

	if (packet.kind == QUEUED)
		playback_on_queued(&bed->playback, packet.number, bed_clock(bed));
	else
		playback_on_displaying(&bed->playback, packet.number, &bed->content, bed_clock(bed),
				       &output);
	bed_update(bed);
}

/* ---- the clock ---- */

static int64_t min_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void bed_run(struct bed *bed, int64_t for_ms)
{
	int64_t end_ms = bed->now_ms + for_ms;

	for (;;) {
		int64_t panel_ms = panel_next_ms(&bed->panel);
		int64_t next_ms =
		    min_of(min_of(line_next_ms(&bed->to_panel), line_next_ms(&bed->to_server)),
			   min_of(panel_ms, bed->wake_ms));

		if (next_ms > end_ms)
			break;
		bed->now_ms = next_ms > bed->now_ms ? next_ms : bed->now_ms;
		if (line_next_ms(&bed->to_panel) == next_ms)
			panel_take(bed);
		else if (line_next_ms(&bed->to_server) == next_ms)
			server_take(bed);
		else if (panel_ms == next_ms)
			panel_end_period(bed);
		else
			bed_update(bed);
	}
	bed->now_ms = end_ms;
}

void bed_connect(struct bed *bed)
{
	bed->is_connected = true;
	bed->to_panel.count = bed->to_server.count = 0;
	playback_finish(&bed->playback);
	playback_init(&bed->playback, bed->position_kept);
	bed_update(bed);
}

void bed_disconnect(struct bed *bed)
{
	bed->is_connected = false;
	bed->to_panel.count = bed->to_server.count = 0;
	bed->wake_ms = INT64_MAX;
}

struct bed *bed_create(void)
{
	return memory_zalloc(sizeof(struct bed));
}

void bed_destroy(struct bed *bed)
{
	playback_finish(&bed->playback);
	free(bed);
}

void bed_init(struct bed *bed, enum firmware firmware, uint64_t seed)
{
	playback_finish(&bed->playback);
	memset(bed, 0, sizeof(*bed));
	bed->random = seed * 2 + 1;
	bed->latency_ms = 50;
	bed->position_kept = -1;
	bed->wake_ms = INT64_MAX;
	bed->panel.firmware = firmware;
	bed->panel.brightness = -1;
	bed->content.settings.brightness = 60;
	bed->content.night_brightness = 5;
	bed->content.settings.schedule_interval_s = INTERVAL_S;
	bed->content.installations = bed->installations;
}

/* ---- changes ---- */

int64_t bed_add_installation(struct bed *bed, uint32_t loop_ms)
{
	struct content *content = &bed->content;
	int64_t position = ++bed->generation;

	assert_true(content->installation_count < INSTALLATIONS_MAX);
	content->installations[content->installation_count++] = (struct content_installation){
	    .id = STR("installation"),
	    .position = position,
	    .picture_generation = position,
	    .picture = {.data = STR("webp"), .loop_ms = loop_ms},
	};
	bed_update(bed);
	return position;
}

void bed_replace_installation(struct bed *bed, int64_t position, uint32_t loop_ms)
{
	struct content_installation *installation = content_at(&bed->content, position);

	installation->picture_generation = ++bed->generation;
	installation->picture.loop_ms = loop_ms;
	bed_update(bed);
}

void bed_delete_installation(struct bed *bed, int64_t position)
{
	struct content *content = &bed->content;
	unsigned index = (unsigned)(content_at(content, position) - content->installations);

	memmove(&content->installations[index], &content->installations[index + 1],
		(--content->installation_count - index) * sizeof(content->installations[0]));
	bed->generation++;
	if (content->pinned_position == position)
		content->pinned_position = 0;
	if (content->night_position == position)
		content->night_position = 0;
	/* The database also deletes the record of it. */
	if (content->push.is_installation && content->push.installation_position == position)
		content->push = (struct content_push){0};
	bed_update(bed);
}

static void push(struct bed *bed, struct content_push push)
{
	push.generation = ++bed->generation;
	push.created_us = bed_clock(bed).wall_us;
	bed->content.push = push;
	bed_update(bed);
}

void bed_push_installation(struct bed *bed, int64_t position)
{
	content_at(&bed->content, position)->picture_generation = bed->generation + 1;
	push(bed, (struct content_push){.is_installation = true,
					.installation_position = position,
					.duration_s = bed->content.settings.schedule_interval_s});
}

void bed_push_temporary(struct bed *bed, int64_t duration_s, uint32_t loop_ms)
{
	push(bed, (struct content_push){.installation_position = -1,
					.duration_s = (int32_t)duration_s,
					.picture = {.data = STR("webp"), .loop_ms = loop_ms}});
}

struct playback_item bed_screen(const struct bed *bed)
{
	if (bed->shown_count == 0)
		return (struct playback_item){.kind = PLAYBACK_NOTHING};
	return bed->shown[bed->shown_count - 1].item;
}
