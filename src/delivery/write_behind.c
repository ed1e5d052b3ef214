#include "write_behind.h"
#include "base/clock.h"
#include "base/require.h"
#include "change_hint.h"
#include "db/statements.h"

#include <stdlib.h>

enum {
	/* lastOnline must be exact to 60 s: a panel is noticed at the next common moment, as is
	 * that its next poll is overdue. */
	SEEN_MS = 29 * 1000,
	POLL_INTERVALS = 2, /* a panel that polls less often is written at its polls */
	/* Delay of a write that does not wait for the common moment: for a panel that polls less
	 * often than there are such moments, and for rows that were locked, perhaps by another
	 * worker that writes an earlier time. */
	SOON_MS = 1000,
	/* Delay of the write of a first contact: the contacts of many panels share a write. */
	CONTACT_MS = 50,
	/* Pause between attempts while the database is unavailable. */
	SEEN_AGAIN_MS = 2 * 1000,
	/* Delay from a write of times to the next turn of reconciliation. */
	TIDY_MS = 100,
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
	int64_t *times_us;
	int64_t *holds; /* enum presence_hold of each */
	unsigned count;
};

static struct batch *batch_create(struct write_behind *write_behind)
{
	struct batch *batch = memory_zalloc(sizeof(*batch));

	batch->write_behind = write_behind;
	batch->ids = arena_alloc(&batch->arena, BATCH * sizeof(batch->ids[0]));
	batch->times_us = arena_alloc(&batch->arena, BATCH * sizeof(batch->times_us[0]));
	batch->holds = arena_alloc(&batch->arena, BATCH * sizeof(batch->holds[0]));
	return batch;
}

/* Keeps a device that was not written. */
static void keep(const struct batch *batch, unsigned i)
{
	struct write_behind *write_behind = batch->write_behind;
	struct panel *panel = panels_find(write_behind->panels, batch->ids[i]);

	if (!panel)
		buffer_append(&write_behind->gone, &batch->ids[i], sizeof(batch->ids[i]));
	else if (panel->seen_us < batch->times_us[i])
		panel->seen_us = batch->times_us[i];
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

static void keep_all(const struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++)
		keep(batch, i);
	write_again(batch->write_behind);
}

/* Notes which panels this process has since the write. */
static void note_held(const struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++) {
		struct panel *panel = panels_find(batch->write_behind->panels, batch->ids[i]);

		if (panel)
			panel->is_held = batch->holds[i] != PRESENCE_LEFT;
	}
}

/* Takes a device that was not written: another process has it, or others change its row just now,
 * and it is written soon. */
static void keep_unwritten(const struct batch *batch, const struct device_seen_row *row)
{
	unsigned i = (unsigned)row->number - 1;
	struct panel *panel;

	require(i < batch->count);
	panel = panels_find(batch->write_behind->panels, batch->ids[i]);
	if (panel)
		panel->is_held = panel->is_held && batch->holds[i] == PRESENCE_LEFT;
	if (row->is_held)
		return;
	keep(batch, i);
	write_soon(batch->write_behind, batch->ids[i], SOON_MS);
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

static void take_unwritten(struct batch *batch, const struct db_result *result)
{
	const struct device_seen_row *rows;

	note_held(batch);
	if (result->row_count == 0)
		return;
	rows = db_read_rows(result, batch->query.record, &batch->arena);
	for (unsigned i = 0; i < result->row_count; i++)
		keep_unwritten(batch, &rows[i]);
}

static void on_batch_done(struct db_query *query, const struct db_result *result)
{
	struct batch *batch = container_of(query, struct batch, query);

	batch->write_behind->under_way--;
	if (result->outcome == DB_UNAVAILABLE || result->outcome == DB_BLOCKED)
		keep_all(batch);
	else if (result->outcome == DB_OK)
		take_unwritten(batch, result);
	end_seen(batch, result->outcome == DB_OK);
	arena_finish(&batch->arena);
	free(batch);
}

/* PostgreSQL gets ages, since this machine's clock may be wrong. */
static void batch_send(struct batch *batch)
{
	int64_t *ages_us = arena_alloc(&batch->arena, batch->count * sizeof(ages_us[0]));
	int64_t now_us = clock_wall_us();

	for (unsigned i = 0; i < batch->count; i++)
		ages_us[i] = now_us - batch->times_us[i];
	db_query_init(&batch->query, &batch->arena);
	statement_device_seen(&batch->query,
			      &(struct device_seen_parameters){
				  .ids = {batch->ids, batch->count},
				  .ages_us = {ages_us, batch->count},
				  .holds = {batch->holds, batch->count},
				  .presence_id = batch->write_behind->presence->id,
			      },
			      NULL);
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

static enum presence_hold presence_now(const struct write_behind *write_behind,
				       const struct panel *panel)
{
	return presence_of(write_behind->presence, panel, POLL_INTERVALS * write_behind->seen_ms);
}

/* Adds a device to the batch, which is NULL while it is empty. Returns the batch, or NULL when it
 * was full and has been sent. */
static struct batch *add(struct write_behind *write_behind, struct batch *batch, struct id id,
			 int64_t wall_us, enum presence_hold hold, bool is_soon)
{
	if (!batch)
		batch = batch_create(write_behind);
	batch->is_soon = is_soon;
	batch->ids[batch->count] = id;
	batch->times_us[batch->count] = wall_us;
	batch->holds[batch->count++] = hold;
	if (hold != PRESENCE_LEFT)
		presence_begin(write_behind->presence);
	if (batch->count < BATCH)
		return batch;
	batch_send(batch);
	return NULL;
}

/* Adds a panel, unless the database knows what there is to know of it. */
static struct batch *add_seen(struct write_behind *write_behind, struct batch *batch,
			      struct panel *panel, bool is_soon)
{
	enum presence_hold hold = presence_now(write_behind, panel);
	int64_t wall_us = panel->seen_us;

	if (hold != PRESENCE_LEFT && panel->is_held)
		panel->seen_us = 0;
	if (hold == PRESENCE_LEFT && panel->is_held)
		wall_us = presence_last_us(panel);
	else if (panel->seen_us == 0 && (panel->is_held || hold != PRESENCE_LINKED))
		return batch;
	panel->seen_us = 0;
	return add(write_behind, batch, panel->id,
		   hold == PRESENCE_LEFT ? wall_us : clock_wall_us(), hold, is_soon);
}

static struct batch *add_gone(struct write_behind *write_behind, struct batch *batch)
{
	struct str view = buffer_view(&write_behind->gone);
	const struct id *ids = (const struct id *)view.data;

	for (size_t i = 0; i < view.length / sizeof(*ids); i++)
		if (!panels_find(write_behind->panels, ids[i]))
			batch =
			    add(write_behind, batch, ids[i], clock_wall_us(), PRESENCE_LEFT, false);
	buffer_clear(&write_behind->gone);
	return batch;
}

static void flush_seen(struct write_behind *write_behind)
{
	struct batch *batch = add_gone(write_behind, NULL);

	list_for_each (node, &write_behind->panels->by_use)
		batch =
		    add_seen(write_behind, batch, container_of(node, struct panel, by_use), false);
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

		if (panel)
			batch = add_seen(write_behind, batch, panel, true);
	}
	buffer_clear(&write_behind->soon);
	if (batch)
		batch_send(batch);
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

void write_behind_contact(struct write_behind *write_behind, struct panel *panel)
{
	if (panel->has_connected || write_behind->is_draining)
		return;
	panel->has_connected = panel->is_contact = true;
	write_soon(write_behind, panel->id, CONTACT_MS);
	if (db_is_up(write_behind->db))
		contacts_begin(write_behind->contacts, panel);
}

void write_behind_held(struct write_behind *write_behind, struct panel *panel, bool is_held)
{
	bool was_held = panel->is_held;

	panel->is_held = is_held;
	if (was_held && !is_held && presence_now(write_behind, panel) != PRESENCE_LEFT)
		write_soon(write_behind, panel->id, SOON_MS);
}

void write_behind_forget(struct write_behind *write_behind, const struct panel *panel)
{
	if (panel->is_held)
		buffer_append(&write_behind->gone, &panel->id, sizeof(panel->id));
}

void write_behind_polled(struct write_behind *write_behind, const struct panel *panel)
{
	if (panel->polled->dwell_s * UINT64_C(1000) > POLL_INTERVALS * write_behind->seen_ms)
		write_soon(write_behind, panel->id, SOON_MS);
}

void write_behind_displayed(struct write_behind *write_behind, struct panel *panel,
			    int64_t generation, int64_t wall_us)
{
	cursor_set_shown(write_behind->panels->cursors, panel->id, generation, wall_us);
	displays_take(&write_behind->displays, &(struct displayed){.device_id = panel->id,
								   .generation = generation,
								   .wall_us = wall_us});
}

void write_behind_init(struct write_behind *write_behind)
{
	write_behind->displays =
	    (struct displays){.loop = write_behind->loop, .db = write_behind->db};
	displays_init(&write_behind->displays);
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
}

void write_behind_drain(struct write_behind *write_behind)
{
	write_behind->is_draining = true;
	flush_seen(write_behind);
	displays_drain(&write_behind->displays);
	stop(write_behind);
	contacts_drain(write_behind->contacts);
}

void write_behind_finish(struct write_behind *write_behind)
{
	require(write_behind->under_way == 0);
	stop(write_behind);
	displays_finish(&write_behind->displays);
	buffer_finish(&write_behind->soon);
	buffer_finish(&write_behind->gone);
	contacts_finish(write_behind->contacts);
}
