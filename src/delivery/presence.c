#include "presence.h"
#include "base/clock.h"
#include "base/require.h"
#include "db/statements.h"

enum {
	BEAT_MS = 10 * 1000,
	SWEEP_DEVICES = 1000, /* looked at with each beat, if a process has ended */
	/* Time by which a panel may be late with its poll, which begins when its picture was
	 * shown. */
	POLL_LATE_MS = 5 * 1000,
};

/* ---- beats ---- */

static void on_swept(struct db_query *query, const struct db_result *result)
{
	struct presence *presence = container_of(query, struct presence, query);

	(void)result; /* the next beat goes on */
	presence->is_under_way = false;
	arena_finish(&presence->arena);
}

static void sweep(struct presence *presence)
{
	presence->is_under_way = true;
	db_query_init(&presence->query, &presence->arena);
	statement_presence_sweep(&presence->query,
				 &(struct presence_sweep_parameters){.device_limit = SWEEP_DEVICES},
				 NULL);
	presence->query.done = on_swept;
	db_submit(presence->db, &presence->query);
}

static void on_beat(struct db_query *query, const struct db_result *result)
{
	struct presence *presence = container_of(query, struct presence, query);
	struct presence_beat_row row = {0};

	presence->is_under_way = false;
	if (result->outcome == DB_OK && result->row_count)
		db_read_row(result, 0, query->record, &presence->arena, &row);
	arena_finish(&presence->arena);
	if (row.has_ended && !presence->is_draining)
		sweep(presence);
}

static void beat(struct presence *presence)
{
	if (presence->is_under_way || !db_is_up(presence->db))
		return;
	presence->is_under_way = true;
	db_query_init(&presence->query, &presence->arena);
	statement_presence_beat(&presence->query,
				&(struct presence_beat_parameters){.id = presence->id}, NULL);
	presence->query.done = on_beat;
	db_submit(presence->db, &presence->query);
}

static void on_deadline(struct deadline *deadline)
{
	struct presence *presence = container_of(deadline, struct presence, deadline);

	deadline_set(presence->loop, deadline, BEAT_MS);
	beat(presence);
}

void presence_init(struct presence *presence)
{
	presence->id = id_new();
	deadline_init(&presence->deadline, on_deadline);
}

void presence_begin(struct presence *presence)
{
	if (presence->is_begun || presence->is_draining)
		return;
	presence->is_begun = true;
	deadline_set(presence->loop, &presence->deadline, BEAT_MS);
	beat(presence);
}

void presence_drain(struct presence *presence)
{
	presence->is_draining = true;
	deadline_clear(presence->loop, &presence->deadline);
	if (presence->is_begun)
		beat(presence);
}

void presence_finish(struct presence *presence)
{
	require(!presence->is_under_way);
	deadline_clear(presence->loop, &presence->deadline);
}

/* ---- panels ---- */

/* Whether the picture of the last poll at another worker, or at another instance, is shown. */
static bool is_polling_elsewhere(const struct panel *panel, uint64_t dwell_ms)
{
	struct cursor_contact contact = cursor_contact(panel->panels->cursors, panel->id);
	int64_t until_us = contact.polled_us + (int64_t)(dwell_ms + POLL_LATE_MS) * 1000;

	return contact.polled_us && clock_wall_us() < until_us;
}

enum presence_hold presence_of(const struct presence *presence, const struct panel *panel,
			       uint64_t longest_ms)
{
	const struct shown_poll *polled = panel->polled;
	uint64_t dwell_ms = polled ? (uint64_t)polled->dwell_s * 1000 : 0;

	if (panel->connection_count)
		return PRESENCE_LINKED;
	if (!polled || dwell_ms > longest_ms)
		return PRESENCE_LEFT;
	if (loop_now_ms(presence->loop) < (uint64_t)polled->at_ms + dwell_ms + POLL_LATE_MS)
		return PRESENCE_POLLS;
	return is_polling_elsewhere(panel, dwell_ms) ? PRESENCE_POLLS : PRESENCE_LEFT;
}

int64_t presence_last_us(const struct panel *panel)
{
	struct cursor_contact contact = cursor_contact(panel->panels->cursors, panel->id);
	int64_t last_us = panel->seen_us;

	if (panel->polled && panel->polled->at_us > last_us)
		last_us = panel->polled->at_us;
	/* Another worker has it, and will write it. */
	return last_us && last_us >= contact.polled_us ? last_us : clock_wall_us();
}
