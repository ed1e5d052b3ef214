#include "base/clock.h"
#include "delivery_private.h"

#include <stdlib.h>

enum {
	DISPLAYED_MS = 500,
	/* While the database is away. */
	DISPLAYED_AGAIN_MS = 2 * 1000,
	BATCH = 1000,
};

/* A write that nobody waits for. What a database that went away did not take is kept for the next
 * one. */
struct batch {
	struct delivery *delivery;
	struct arena arena;
	struct db_query query;
	struct id *ids;
	int64_t *generations; /* NULL: when devices were seen */
	int64_t *times_us;
	unsigned count;
};

static struct batch *batch_create(struct delivery *delivery, unsigned room)
{
	struct batch *batch = memory_zalloc(sizeof(*batch));

	batch->delivery = delivery;
	batch->ids = arena_alloc(&batch->arena, room * sizeof(batch->ids[0]));
	batch->times_us = arena_alloc(&batch->arena, room * sizeof(batch->times_us[0]));
	return batch;
}

static void keep_seen(const struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++) {
		struct panel *panel = panel_find(batch->delivery, batch->ids[i]);

		if (panel && panel->seen_us < batch->times_us[i])
			panel->seen_us = batch->times_us[i];
	}
}

static void note_displayed(struct delivery *delivery, struct id device_id, int64_t generation,
			   int64_t wall_us)
{
	uint64_t in_ms = db_is_up(delivery->db) ? DISPLAYED_MS : DISPLAYED_AGAIN_MS;

	if (delivery->displayed_count == DISPLAYED_MAX)
		return; /* an interrupted push is shown once more, at worst */
	delivery->displayed[delivery->displayed_count++] = (struct displayed){
	    .device_id = device_id, .generation = generation, .wall_us = wall_us};
	if (!deadline_is_set(&delivery->displayed_deadline) && !delivery->is_draining)
		deadline_set(delivery->loop, &delivery->displayed_deadline, in_ms);
}

static void on_batch_done(struct db_query *query, const struct db_result *result)
{
	struct batch *batch = container_of(query, struct batch, query);
	struct delivery *delivery = batch->delivery;

	delivery->writes_under_way--;
	if (result->outcome == DB_AWAY && !batch->generations)
		keep_seen(batch);
	for (unsigned i = 0; result->outcome == DB_AWAY && batch->generations && i < batch->count;
	     i++)
		note_displayed(delivery, batch->ids[i], batch->generations[i], batch->times_us[i]);
	arena_finish(&batch->arena);
	free(batch);
}

static void batch_send(struct batch *batch)
{
	struct db_parameters *parameters = &batch->query.parameters;

	db_parameters_init(parameters, &batch->arena);
	db_add_id_array(parameters, batch->ids, batch->count);
	if (batch->generations)
		db_add_int8_array(parameters, batch->generations, batch->count);
	db_add_timestamp_array(parameters, batch->times_us, batch->count);
	batch->query.statement =
	    batch->generations ? STATEMENT_SHOWING_DISPLAYED : STATEMENT_DEVICE_SEEN;
	batch->query.done = on_batch_done;
	batch->delivery->writes_under_way++;
	db_submit(batch->delivery->db, &batch->query);
}

static void flush_seen(struct delivery *delivery)
{
	struct batch *batch = NULL;

	list_for_each (node, &delivery->by_use) {
		struct panel *panel = container_of(node, struct panel, by_use);

		if (panel->seen_us == 0)
			continue;
		if (!batch)
			batch = batch_create(delivery, BATCH);
		batch->ids[batch->count] = panel->id;
		batch->times_us[batch->count++] = panel->seen_us;
		panel->seen_us = 0;
		if (batch->count == BATCH) {
			batch_send(batch);
			batch = NULL;
		}
	}
	if (batch)
		batch_send(batch);
}

static void flush_displayed(struct delivery *delivery)
{
	unsigned count = delivery->displayed_count;
	struct batch *batch;

	if (count == 0)
		return;
	batch = batch_create(delivery, count);
	batch->generations = arena_alloc(&batch->arena, count * sizeof(batch->generations[0]));
	batch->count = count;
	for (unsigned i = 0; i < count; i++) {
		batch->ids[i] = delivery->displayed[i].device_id;
		batch->generations[i] = delivery->displayed[i].generation;
		batch->times_us[i] = delivery->displayed[i].wall_us;
	}
	delivery->displayed_count = 0;
	batch_send(batch);
}

static void on_seen_deadline(struct deadline *deadline)
{
	struct delivery *delivery = container_of(deadline, struct delivery, seen_deadline);

	/* A dead database is told when it is back. */
	if (db_is_up(delivery->db))
		flush_seen(delivery);
	deadline_set(delivery->loop, &delivery->seen_deadline, delivery->limits.seen_ms);
}

static void on_displayed_deadline(struct deadline *deadline)
{
	struct delivery *delivery = container_of(deadline, struct delivery, displayed_deadline);

	if (db_is_up(delivery->db))
		flush_displayed(delivery);
	else
		deadline_set(delivery->loop, &delivery->displayed_deadline, DISPLAYED_AGAIN_MS);
}

void ledger_displayed(struct panel *panel, int64_t generation, int64_t wall_us)
{
	struct delivery *delivery = panel->delivery;

	cursor_set_shown(delivery->cursors, panel->id, generation, wall_us);
	if (delivery->displayed_count == DISPLAYED_MAX && db_is_up(delivery->db))
		flush_displayed(delivery);
	note_displayed(delivery, panel->id, generation, wall_us);
	if (delivery->is_draining)
		flush_displayed(delivery);
}

void ledger_start(struct delivery *delivery)
{
	if (!delivery->displayed_deadline.run)
		deadline_init(&delivery->displayed_deadline, on_displayed_deadline);
	if (!delivery->seen_deadline.run)
		deadline_init(&delivery->seen_deadline, on_seen_deadline);
	deadline_set(delivery->loop, &delivery->seen_deadline, delivery->limits.seen_ms);
}

void ledger_flush(struct delivery *delivery)
{
	flush_seen(delivery);
	flush_displayed(delivery);
}

void ledger_stop(struct delivery *delivery)
{
	deadline_clear(delivery->loop, &delivery->seen_deadline);
	deadline_clear(delivery->loop, &delivery->displayed_deadline);
}
