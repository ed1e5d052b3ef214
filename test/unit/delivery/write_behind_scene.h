/* Write-behind over script.c, for the tests of what it writes. Included once by each. */
#pragma once

#include "script.h"
#include "write_behind.h"

static struct pictures pictures;
static struct account_shares shares;
static struct panels panels;
static struct reconciliation reconciliation;
static struct contacts contacts;
static struct presence presence;
static struct write_behind write_behind;
static unsigned wait_ends;

static void on_wait_end(void *context, struct panel *panel)
{
	(void)context;
	(void)panel;
	wait_ends++;
}

static void on_gone(void *context, struct panel *panel)
{
	(void)context;
	(void)panel;
}

static int begin(void **state)
{
	script_begin(state);
	pictures_init(&pictures, 1000);
	panels = (struct panels){
	    .loop = &script_loop,
	    .db = script_db,
	    .pictures = &pictures,
	    .shares = &shares,
	    .cursors = script_cursors,
	    .changes = script_changes,
	    .max = 5000,
	    .unused_ms = 1000,
	    .on_gone = on_gone,
	};
	panels_init(&panels);
	reconciliation = (struct reconciliation){.loop = &script_loop, .is_draining = true};
	wait_ends = 0;
	contacts =
	    (struct contacts){.loop = &script_loop, .panels = &panels, .on_end = on_wait_end};
	presence = (struct presence){.loop = &script_loop, .db = script_db};
	presence_init(&presence);
	write_behind = (struct write_behind){.loop = &script_loop,
					     .db = script_db,
					     .contacts = &contacts,
					     .presence = &presence,
					     .panels = &panels,
					     .reconciliation = &reconciliation};
	write_behind_init(&write_behind);
	write_behind_set_interval(&write_behind, 20 * 1000);
	return 0;
}

static int end(void **state)
{
	write_behind_finish(&write_behind);
	presence_finish(&presence);
	panels_finish(&panels);
	pictures_finish(&pictures);
	account_shares_finish(&shares);
	return script_end(state);
}

/* Age of the written time in microseconds. */
static inline int64_t written_ago_us(void)
{
	int64_t ages_us[10];

	assert_int_equal(int8_array(asked(STATEMENT_DEVICE_SEEN), 1, ages_us), 1);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	return ages_us[0];
}

/* Returns the hold that the statement under way gives to its only device. */
static inline int64_t written_hold(void)
{
	int64_t holds[10];

	assert_int_equal(int8_array(asked(STATEMENT_DEVICE_SEEN), 2, holds), 1);
	return holds[0];
}

/* Answers that the first device of the statement was not written. */
static inline void answer_unwritten(bool is_held_elsewhere)
{
	begin_rows(2);
	add_integer(1);
	add_bool(is_held_elsewhere);
	answer(asked(STATEMENT_DEVICE_SEEN));
}

static inline void poll_at(const struct cursors *worker, unsigned device)
{
	const struct poll_cursor cursor = {.position = 1};

	cursor_set(worker, id_of(device), &cursor,
		   &(struct cursor_moment){.wall_us = script_wall_us()});
}

static inline void poll_for(struct panel *panel, int dwell_s)
{
	if (!panel->polled)
		panel->polled = memory_alloc(sizeof(*panel->polled));
	*panel->polled = (struct shown_poll){.at_ms = (int64_t)loop_now_ms(&script_loop),
					     .at_us = script_wall_us(),
					     .dwell_s = dwell_s};
	panel_seen(panel);
	write_behind_polled(&write_behind, panel);
}

#define SCENE(function) TEST_IN(function, begin, end)
