#include "displays.h"
#include "base/memory.h"
#include "base/require.h"
#include "db/statements.h"

#include <stdlib.h>

enum {
	WRITE_MS = 500,
	AGAIN_MS = 2 * 1000, /* while the database is unavailable */
};

struct batch {
	struct displays *displays;
	struct arena arena;
	struct db_query query;
	struct id *ids;
	int64_t *generations;
	int64_t *times_us;
	unsigned count;
};

static unsigned waiting_count(const struct displays *displays)
{
	return (unsigned)(buffer_length(&displays->waiting) / sizeof(struct displayed));
}

static void note(struct displays *displays, struct id device_id, int64_t generation,
		 int64_t wall_us)
{
	uint64_t in_ms = db_is_up(displays->db) ? WRITE_MS : AGAIN_MS;

	if (!deadline_is_set(&displays->deadline) && !displays->is_draining)
		deadline_set(displays->loop, &displays->deadline, in_ms);
	if (waiting_count(displays) < DISPLAYED_MAX)
		buffer_append(&displays->waiting,
			      &(struct displayed){.device_id = device_id,
						  .generation = generation,
						  .wall_us = wall_us},
			      sizeof(struct displayed));
}

static void keep_all(const struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++)
		note(batch->displays, batch->ids[i], batch->generations[i], batch->times_us[i]);
}

/* Others change these rows just now: they are written soon. */
static void keep_locked(struct batch *batch, const struct db_result *result)
{
	const struct showing_displayed_row *rows =
	    db_read_rows(result, batch->query.record, &batch->arena);

	for (unsigned i = 0; i < result->row_count; i++)
		note(batch->displays, rows[i].device_id, rows[i].push_generation,
		     rows[i].displayed_at);
}

static void send_due(struct displays *displays);

static void on_written(struct db_query *query, const struct db_result *result)
{
	struct batch *batch = container_of(query, struct batch, query);
	struct displays *displays = batch->displays;

	displays->is_under_way = false;
	if (result->outcome == DB_UNAVAILABLE)
		displays->due = 0;
	if (result->outcome == DB_UNAVAILABLE || result->outcome == DB_BLOCKED)
		keep_all(batch);
	else if (result->outcome == DB_OK && result->row_count)
		keep_locked(batch, result);
	arena_finish(&batch->arena);
	free(batch);
	send_due(displays);
}

static struct batch *take_first(struct displays *displays, unsigned count)
{
	struct batch *batch = memory_zalloc(sizeof(*batch));
	const struct displayed *displayed =
	    (const struct displayed *)buffer_view(&displays->waiting).data;

	batch->displays = displays;
	batch->ids = arena_alloc(&batch->arena, count * sizeof(batch->ids[0]));
	batch->generations = arena_alloc(&batch->arena, count * sizeof(batch->generations[0]));
	batch->times_us = arena_alloc(&batch->arena, count * sizeof(batch->times_us[0]));
	batch->count = count;
	for (unsigned i = 0; i < count; i++) {
		batch->ids[i] = displayed[i].device_id;
		batch->generations[i] = displayed[i].generation;
		batch->times_us[i] = displayed[i].wall_us;
	}
	buffer_consume(&displays->waiting, count * sizeof(displayed[0]));
	return batch;
}

static void send_batch(struct displays *displays, unsigned count)
{
	struct batch *batch = take_first(displays, count);

	displays->is_under_way = true;
	db_query_init(&batch->query, &batch->arena);
	statement_showing_displayed(&batch->query,
				    &(struct showing_displayed_parameters){
					.device_ids = {batch->ids, count},
					.push_generations = {batch->generations, count},
					.displayed_at = {batch->times_us, count},
				    },
				    NULL);
	batch->query.done = on_written;
	db_submit(displays->db, &batch->query);
}

/* A picture for all panels is displayed by thousands within a second. No request waits for these
 * writes, so they are sent one after the other, to leave the database to other requests. */
static void send_due(struct displays *displays)
{
	unsigned count = displays->due;

	if (count == 0 || displays->is_under_way)
		return;
	if (count > DISPLAYED_BATCH)
		count = DISPLAYED_BATCH;
	displays->due -= count;
	send_batch(displays, count);
}

static void write_all(struct displays *displays)
{
	displays->due = waiting_count(displays);
	send_due(displays);
}

static void on_deadline(struct deadline *deadline)
{
	struct displays *displays = container_of(deadline, struct displays, deadline);

	if (db_is_up(displays->db))
		write_all(displays);
	else
		deadline_set(displays->loop, deadline, AGAIN_MS);
}

void displays_init(struct displays *displays)
{
	deadline_init(&displays->deadline, on_deadline);
}

void displays_take(struct displays *displays, const struct displayed *displayed)
{
	note(displays, displayed->device_id, displayed->generation, displayed->wall_us);
	if (displays->is_draining)
		write_all(displays);
}

void displays_drain(struct displays *displays)
{
	displays->is_draining = true;
	write_all(displays);
	deadline_clear(displays->loop, &displays->deadline);
}

void displays_finish(struct displays *displays)
{
	require(!displays->is_under_way);
	deadline_clear(displays->loop, &displays->deadline);
	buffer_finish(&displays->waiting);
}
