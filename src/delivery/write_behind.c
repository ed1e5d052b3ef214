#include "write_behind.h"
#include "base/clock.h"
#include "base/require.h"
#include "change_hint.h"
#include "db/statements.h"

#include <stdlib.h>

enum {
	SEEN_MS = 58 * 1000, /* lastOnline must be exact to 60 s, a turn of the loop included */
	DISPLAYED_MS = 500,
	/* Delay of a write that does not wait for the common moment: for a panel that polls less
	 * often than there are such moments, and for rows that were locked, perhaps by another
	 * worker that writes an earlier time. */
	SOON_MS = 1000,
	/* Delay of the write of a first contact: the contacts of many panels share a write. */
	CONTACT_MS = 50,
	/* Pause between attempts while the database is unavailable. */
	SEEN_AGAIN_MS = 2 * 1000,
	/* Time by which a panel may be late with its poll, which begins when its picture was
	 * shown. */
	POLL_LATE_MS = 5 * 1000,
	/* Delay from a write of times to the next turn of reconciliation. */
	TIDY_MS = 100,
	/* Pause between attempts while the database is unavailable. */
	DISPLAYED_AGAIN_MS = 2 * 1000,
	/* Time by which the loops' clocks may be behind each other. */
	LOOP_LATE_MS = 1000,
	BATCH = 1000,
};

struct batch {
	struct write_behind *write_behind;
	bool is_soon; /* of panels that do not wait for the common moment */
	struct arena arena;
	struct db_query query;
	struct id *ids;
	int64_t *generations; /* NULL: the batch has times when devices were seen */
	int64_t *times_us;
	unsigned count;
};

static struct batch *batch_create(struct write_behind *write_behind, unsigned room)
{
	struct batch *batch = memory_zalloc(sizeof(*batch));

	batch->write_behind = write_behind;
	batch->ids = arena_alloc(&batch->arena, room * sizeof(batch->ids[0]));
	batch->times_us = arena_alloc(&batch->arena, room * sizeof(batch->times_us[0]));
	return batch;
}

static void keep_seen(const struct write_behind *write_behind, struct id id, int64_t wall_us)
{
	struct panel *panel = panels_find(write_behind->panels, id);

	if (panel && panel->seen_us < wall_us)
		panel->seen_us = wall_us;
}

static unsigned displayed_count(const struct write_behind *write_behind)
{
	return (unsigned)(buffer_length(&write_behind->displayed) / sizeof(struct displayed));
}

static void write_soon(struct write_behind *write_behind, struct id id, uint64_t in_ms)
{
	uint64_t at_ms = loop_now_ms(write_behind->loop) + in_ms;

	if (write_behind->is_draining)
		return;
	buffer_append(&write_behind->soon, &id, sizeof(id));
	if (!deadline_is_set(&write_behind->soon_deadline) ||
	    write_behind->soon_deadline.at_ms > at_ms)
		deadline_set_at(write_behind->loop, &write_behind->soon_deadline, at_ms);
}

/* All panels keep their times until the database is back. The next common moment would be too late:
 * the times would be older than a minute. */
static void write_again(struct write_behind *write_behind)
{
	uint64_t at_ms = loop_now_ms(write_behind->loop) + SEEN_AGAIN_MS;

	if (!write_behind->is_draining && write_behind->seen_deadline.at_ms > at_ms)
		deadline_set_at(write_behind->loop, &write_behind->seen_deadline, at_ms);
}

static void note_displayed(struct write_behind *write_behind, struct id device_id,
			   int64_t generation, int64_t wall_us)
{
	uint64_t in_ms = db_is_up(write_behind->db) ? DISPLAYED_MS : DISPLAYED_AGAIN_MS;

	if (!deadline_is_set(&write_behind->displayed_deadline) && !write_behind->is_draining)
		deadline_set(write_behind->loop, &write_behind->displayed_deadline, in_ms);
	if (displayed_count(write_behind) < DISPLAYED_MAX)
		buffer_append(&write_behind->displayed,
			      &(struct displayed){.device_id = device_id,
						  .generation = generation,
						  .wall_us = wall_us},
			      sizeof(struct displayed));
}

static void keep_all(const struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++) {
		if (batch->generations)
			note_displayed(batch->write_behind, batch->ids[i], batch->generations[i],
				       batch->times_us[i]);
		else
			keep_seen(batch->write_behind, batch->ids[i], batch->times_us[i]);
	}
	if (!batch->generations)
		write_again(batch->write_behind);
}

/* Others change these rows just now: they are written soon. */
static void keep_locked(struct batch *batch, const struct db_result *result)
{
	const struct showing_displayed_row *displayed;
	const struct device_seen_row *seen;

	if (batch->generations) {
		displayed = db_read_rows(result, batch->query.record, &batch->arena);
		for (unsigned i = 0; i < result->row_count; i++)
			note_displayed(batch->write_behind, displayed[i].device_id,
				       displayed[i].push_generation, displayed[i].displayed_at);
	} else {
		seen = db_read_rows(result, batch->query.record, &batch->arena);
		for (unsigned i = 0; i < result->row_count; i++) {
			keep_seen(batch->write_behind, seen[i].id, seen[i].seen_at);
			write_soon(batch->write_behind, seen[i].id, SOON_MS);
		}
	}
}

/* Makes pages that wait for the panels of new devices read them again. */
static void tell_contacts(const struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++) {
		struct panel *panel = panels_find(batch->write_behind->panels, batch->ids[i]);

		if (!panel || !panel->is_contact)
			continue;
		panel->is_contact = false;
		change_hint_send(batch->write_behind->db, STR("device"), panel->id,
				 panel->generation);
	}
}

/* Schedules a read of the changed rows. The first reader of such rows prunes their pages, which
 * PostgreSQL writes to its WAL: an early read lets this reach the disk together with the change. It
 * is not immediate: the other workers write now, too, and rows that they may still see are not
 * pruned meanwhile. */
static void tidy(const struct write_behind *write_behind)
{
	reconciliation_within(write_behind->reconciliation, TIDY_MS);
}

static void send_due(struct write_behind *write_behind);

/* Ends a write of panels' times. */
static void end_seen(const struct batch *batch, bool is_written)
{
	struct write_behind *write_behind = batch->write_behind;

	if (is_written)
		tell_contacts(batch);
	for (unsigned i = 0; i < batch->count; i++) {
		struct panel *panel = panels_find(write_behind->panels, batch->ids[i]);

		if (panel)
			contacts_end(write_behind->contacts, panel);
	}
	/* A few rows are not worth a read of all panels. */
	if (is_written && !batch->is_soon)
		tidy(write_behind);
	if (!batch->is_soon || --write_behind->soon_under_way > 0 || write_behind->is_draining)
		return;
	if (buffer_length(&write_behind->soon) && !deadline_is_set(&write_behind->soon_deadline))
		deadline_set(write_behind->loop, &write_behind->soon_deadline, CONTACT_MS);
}

static void on_batch_done(struct db_query *query, const struct db_result *result)
{
	struct batch *batch = container_of(query, struct batch, query);
	struct write_behind *write_behind = batch->write_behind;

	write_behind->under_way--;
	if (batch->generations) {
		write_behind->is_displayed_under_way = false;
		if (result->outcome == DB_UNAVAILABLE)
			write_behind->displayed_due = 0;
	}
	if (result->outcome == DB_UNAVAILABLE || result->outcome == DB_BLOCKED)
		keep_all(batch);
	else if (result->outcome == DB_OK && result->row_count)
		keep_locked(batch, result);
	if (!batch->generations)
		end_seen(batch, result->outcome == DB_OK);
	arena_finish(&batch->arena);
	free(batch);
	send_due(write_behind);
}

static void batch_send(struct batch *batch)
{
	struct db_query *query = &batch->query;
	struct db_ids ids = {batch->ids, batch->count};
	struct db_numbers times_us = {batch->times_us, batch->count};

	db_query_init(query, &batch->arena);
	if (batch->generations)
		statement_showing_displayed(
		    query,
		    &(struct showing_displayed_parameters){
			.device_ids = ids,
			.push_generations = {batch->generations, batch->count},
			.displayed_at = times_us,
		    },
		    NULL);
	else
		statement_device_seen(
		    query, &(struct device_seen_parameters){.ids = ids, .seen_at = times_us}, NULL);
	batch->query.done = on_batch_done;
	batch->write_behind->under_way++;
	batch->write_behind->soon_under_way += batch->is_soon;
	db_submit(batch->write_behind->db, &batch->query);
}

/* All workers of a machine write at the same moments, the multiples of seen_ms: so changes of one
 * moment share a page of the database's WAL. */
static uint64_t since_common_ms(const struct write_behind *write_behind)
{
	return loop_now_ms(write_behind->loop) % write_behind->seen_ms;
}

static void await_common(struct write_behind *write_behind)
{
	deadline_set(write_behind->loop, &write_behind->seen_deadline,
		     write_behind->seen_ms - since_common_ms(write_behind));
}

/* A panel may poll at different workers. If it has polled elsewhere since, leaves it to that worker
 * to write its time, at the same common moment. */
static void leave_to_others(struct write_behind *write_behind)
{
	uint64_t ago_ms = since_common_ms(write_behind) + LOOP_LATE_MS;
	int64_t common_us = clock_wall_us() - (int64_t)ago_ms * 1000;

	list_for_each (node, &write_behind->panels->by_use) {
		struct panel *panel = container_of(node, struct panel, by_use);
		int64_t elsewhere_us;

		if (panel->seen_us == 0)
			continue;
		elsewhere_us = cursor_set_elsewhere_us(write_behind->panels->cursors, panel->id);
		if (panel->seen_us < elsewhere_us && elsewhere_us < common_us)
			panel->seen_us = 0;
	}
}

/* A panel that is connected, or has a picture until its next poll, is online now: the time of
 * its last poll would be more than a minute old before the next write. */
static bool is_online(const struct write_behind *write_behind, const struct panel *panel)
{
	const struct shown_poll *polled = panel->polled;
	uint64_t dwell_ms = polled ? polled->dwell_s * UINT64_C(1000) : 0;

	if (panel->connection_count)
		return true;
	return polled && dwell_ms <= write_behind->seen_ms &&
	       loop_now_ms(write_behind->loop) < (uint64_t)polled->at_ms + dwell_ms + POLL_LATE_MS;
}

/* Adds a panel that was seen to the batch, which is NULL while it is empty. Returns the batch, or
 * NULL when it was full and has been sent. */
static struct batch *add_seen(struct write_behind *write_behind, struct batch *batch,
			      struct panel *panel, bool is_soon)
{
	bool online = is_online(write_behind, panel);

	if (!batch)
		batch = batch_create(write_behind, BATCH);
	batch->is_soon = is_soon;
	batch->ids[batch->count] = panel->id;
	batch->times_us[batch->count++] = online ? clock_wall_us() : panel->seen_us;
	/* Also keep the time of an online panel for the next common moment, even if the panel is
	 * silent until then: the moment after that is more than a minute away. */
	if (!is_soon || !online)
		panel->seen_us = 0;
	if (batch->count < BATCH)
		return batch;
	batch_send(batch);
	return NULL;
}

static void flush_seen(struct write_behind *write_behind)
{
	struct batch *batch = NULL;

	list_for_each (node, &write_behind->panels->by_use) {
		struct panel *panel = container_of(node, struct panel, by_use);

		if (panel->seen_us)
			batch = add_seen(write_behind, batch, panel, false);
	}
	if (batch)
		batch_send(batch);
}

static void flush_soon(struct write_behind *write_behind)
{
	struct str view = buffer_view(&write_behind->soon);
	const struct id *ids = (const struct id *)view.data;
	struct batch *batch = NULL;

	for (size_t i = 0; i < view.length / sizeof(*ids); i++) {
		struct panel *panel = panels_find(write_behind->panels, ids[i]);

		if (panel && panel->seen_us)
			batch = add_seen(write_behind, batch, panel, true);
	}
	buffer_clear(&write_behind->soon);
	if (batch)
		batch_send(batch);
}

static void send_displayed(struct write_behind *write_behind, unsigned count)
{
	struct batch *batch = batch_create(write_behind, count);
	const struct displayed *displayed =
	    (const struct displayed *)buffer_view(&write_behind->displayed).data;

	batch->generations = arena_alloc(&batch->arena, count * sizeof(batch->generations[0]));
	batch->count = count;
	for (unsigned i = 0; i < count; i++) {
		batch->ids[i] = displayed[i].device_id;
		batch->generations[i] = displayed[i].generation;
		batch->times_us[i] = displayed[i].wall_us;
	}
	buffer_consume(&write_behind->displayed, count * sizeof(displayed[0]));
	write_behind->is_displayed_under_way = true;
	batch_send(batch);
}

/* A picture for all panels is displayed by thousands within a second. No request waits for these
 * writes, so they are sent one after the other, to leave the database to other requests. */
static void send_due(struct write_behind *write_behind)
{
	unsigned count = write_behind->displayed_due;

	if (count == 0 || write_behind->is_displayed_under_way)
		return;
	if (count > DISPLAYED_BATCH)
		count = DISPLAYED_BATCH;
	write_behind->displayed_due -= count;
	send_displayed(write_behind, count);
}

static void flush_displayed(struct write_behind *write_behind)
{
	write_behind->displayed_due = displayed_count(write_behind);
	send_due(write_behind);
}

static void on_seen_deadline(struct deadline *deadline)
{
	struct write_behind *write_behind =
	    container_of(deadline, struct write_behind, seen_deadline);

	await_common(write_behind);
	if (db_is_up(write_behind->db)) {
		leave_to_others(write_behind);
		flush_seen(write_behind);
	} else {
		write_again(write_behind);
	}
}

static void on_soon_deadline(struct deadline *deadline)
{
	struct write_behind *write_behind =
	    container_of(deadline, struct write_behind, soon_deadline);

	if (!db_is_up(write_behind->db)) {
		buffer_clear(&write_behind->soon);
		write_again(write_behind);
	} else if (write_behind->soon_under_way == 0) { /* else end_seen() continues */
		flush_soon(write_behind);
	}
}

static void on_displayed_deadline(struct deadline *deadline)
{
	struct write_behind *write_behind =
	    container_of(deadline, struct write_behind, displayed_deadline);

	if (db_is_up(write_behind->db))
		flush_displayed(write_behind);
	else
		deadline_set(write_behind->loop, &write_behind->displayed_deadline,
			     DISPLAYED_AGAIN_MS);
}

void write_behind_contact(struct write_behind *write_behind, struct panel *panel)
{
	if (panel->has_connected || write_behind->is_draining)
		return;
	panel->has_connected = panel->is_contact = true;
	write_soon(write_behind, panel->id, CONTACT_MS);
	if (db_is_up(write_behind->db))
		contacts_begin(write_behind->contacts, panel);
}

void write_behind_polled(struct write_behind *write_behind, const struct panel *panel)
{
	if (panel->polled->dwell_s * UINT64_C(1000) > write_behind->seen_ms)
		write_soon(write_behind, panel->id, SOON_MS);
}

void write_behind_displayed(struct write_behind *write_behind, struct panel *panel,
			    int64_t generation, int64_t wall_us)
{
	cursor_set_shown(write_behind->panels->cursors, panel->id, generation, wall_us);
	note_displayed(write_behind, panel->id, generation, wall_us);
	if (write_behind->is_draining)
		flush_displayed(write_behind);
}

void write_behind_init(struct write_behind *write_behind)
{
	deadline_init(&write_behind->displayed_deadline, on_displayed_deadline);
	deadline_init(&write_behind->seen_deadline, on_seen_deadline);
	deadline_init(&write_behind->soon_deadline, on_soon_deadline);
	contacts_init(write_behind->contacts);
	write_behind_set_interval(write_behind, SEEN_MS);
}

void write_behind_set_interval(struct write_behind *write_behind, uint64_t seen_ms)
{
	write_behind->seen_ms = seen_ms;
	await_common(write_behind);
}

static void stop(struct write_behind *write_behind)
{
	deadline_clear(write_behind->loop, &write_behind->seen_deadline);
	deadline_clear(write_behind->loop, &write_behind->soon_deadline);
	deadline_clear(write_behind->loop, &write_behind->displayed_deadline);
}

void write_behind_drain(struct write_behind *write_behind)
{
	write_behind->is_draining = true;
	flush_seen(write_behind);
	flush_displayed(write_behind);
	stop(write_behind);
	contacts_drain(write_behind->contacts);
}

void write_behind_finish(struct write_behind *write_behind)
{
	require(write_behind->under_way == 0);
	stop(write_behind);
	buffer_finish(&write_behind->displayed);
	buffer_finish(&write_behind->soon);
	contacts_finish(write_behind->contacts);
}
