/* Write-behind over script.c, for the tests of what it writes. Included once by each. */
#pragma once

#include "script.h"
#include "write_behind.h"

static struct pictures pictures;
static struct account_shares shares;
static struct panels panels;
static struct reconciliation reconciliation;
static struct contacts contacts;
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
	write_behind = (struct write_behind){.loop = &script_loop,
					     .db = script_db,
					     .contacts = &contacts,
					     .panels = &panels,
					     .reconciliation = &reconciliation};
	write_behind_init(&write_behind);
	write_behind_set_interval(&write_behind, 20 * 1000);
	return 0;
}

static int end(void **state)
{
	write_behind_finish(&write_behind);
	panels_finish(&panels);
	pictures_finish(&pictures);
	account_shares_finish(&shares);
	return script_end(state);
}

/* Age of the written time in microseconds. */
static int64_t written_ago_us(void)
{
	int64_t times_us[10];

	assert_int_equal(int8_array(asked(STATEMENT_DEVICE_SEEN), 1, times_us), 1);
	answer_nothing(asked(STATEMENT_DEVICE_SEEN), DB_OK);
	/* PostgreSQL counts from 2000. */
	return script_wall_us() - INT64_C(946684800) * 1000000 - times_us[0];
}

#define SCENE(function) TEST_IN(function, begin, end)
