#include "base/clock.h"
#include "delivery_private.h"

#include <stdlib.h>

enum {
	SEEN_MS = 15 * 1000, /* lastOnline is right to within 60 s */
	DISPLAYED_MS = 500,
	BATCH = 1000,
};

/* A write that nobody waits for. A lost one costs little: the next one repairs it. */
struct batch {
	struct delivery *delivery;
	struct arena arena;
	struct db_query query;
};

static void on_batch_done(struct db_query *query, const struct db_result *result)
{
	struct batch *batch = container_of(query, struct batch, query);

	(void)result;
	batch->delivery->writes_under_way--;
	arena_finish(&batch->arena);
	free(batch);
}

static struct batch *batch_create(struct delivery *delivery, enum statement statement)
{
	struct batch *batch = memory_zalloc(sizeof(*batch));

	batch->delivery = delivery;
	batch->query.statement = statement;
	batch->query.done = on_batch_done;
	db_parameters_init(&batch->query.parameters, &batch->arena);
	return batch;
}

static void batch_send(struct batch *batch)
{
	batch->delivery->writes_under_way++;
	db_submit(batch->delivery->service->db, &batch->query);
}

static void send_seen(struct delivery *delivery, const struct id *ids, const int64_t *times_us,
		      unsigned count)
{
	struct batch *batch;

	if (count == 0)
		return;
	batch = batch_create(delivery, STATEMENT_DEVICE_SEEN);
	db_add_id_array(&batch->query.parameters, ids, count);
	db_add_timestamp_array(&batch->query.parameters, times_us, count);
	batch_send(batch);
}

static void flush_seen(struct delivery *delivery)
{
	struct id ids[BATCH];
	int64_t times_us[BATCH];
	unsigned count = 0;

	list_for_each (node, &delivery->by_use) {
		struct panel *panel = container_of(node, struct panel, by_use);

		if (panel->seen_us == 0)
			continue;
		ids[count] = panel->id;
		times_us[count++] = panel->seen_us;
		panel->seen_us = 0;
		if (count == BATCH) {
			send_seen(delivery, ids, times_us, count);
			count = 0;
		}
	}
	send_seen(delivery, ids, times_us, count);
}

static void flush_displayed(struct delivery *delivery)
{
	unsigned count = delivery->displayed_count;
	struct id ids[DISPLAYED_MAX];
	int64_t generations[DISPLAYED_MAX];
	int64_t times_us[DISPLAYED_MAX];
	struct batch *batch;

	if (count == 0)
		return;
	for (unsigned i = 0; i < count; i++) {
		ids[i] = delivery->displayed[i].device_id;
		generations[i] = delivery->displayed[i].generation;
		times_us[i] = delivery->displayed[i].wall_us;
	}
	delivery->displayed_count = 0;
	batch = batch_create(delivery, STATEMENT_SHOWING_DISPLAYED);
	db_add_id_array(&batch->query.parameters, ids, count);
	db_add_int8_array(&batch->query.parameters, generations, count);
	db_add_timestamp_array(&batch->query.parameters, times_us, count);
	batch_send(batch);
}

static void on_seen_deadline(struct deadline *deadline)
{
	struct delivery *delivery = container_of(deadline, struct delivery, seen_deadline);

	/* A dead database is asked again when it is back. */
	if (db_is_up(delivery->service->db))
		flush_seen(delivery);
	deadline_set(delivery->service->loop, &delivery->seen_deadline, SEEN_MS);
}

static void on_displayed_deadline(struct deadline *deadline)
{
	flush_displayed(container_of(deadline, struct delivery, displayed_deadline));
}

void ledger_displayed(struct delivery *delivery, struct id device_id, int64_t generation,
		      int64_t wall_us)
{
	if (delivery->displayed_count == DISPLAYED_MAX)
		flush_displayed(delivery);
	if (delivery->displayed_count == 0)
		deadline_set(delivery->service->loop, &delivery->displayed_deadline, DISPLAYED_MS);
	delivery->displayed[delivery->displayed_count++] = (struct displayed){
	    .device_id = device_id, .generation = generation, .wall_us = wall_us};
}

void ledger_start(struct delivery *delivery)
{
	deadline_init(&delivery->seen_deadline, on_seen_deadline);
	deadline_init(&delivery->displayed_deadline, on_displayed_deadline);
	deadline_set(delivery->service->loop, &delivery->seen_deadline, SEEN_MS);
}

void ledger_flush(struct delivery *delivery)
{
	flush_seen(delivery);
	flush_displayed(delivery);
}

void ledger_stop(struct delivery *delivery)
{
	deadline_clear(delivery->service->loop, &delivery->seen_deadline);
	deadline_clear(delivery->service->loop, &delivery->displayed_deadline);
}
