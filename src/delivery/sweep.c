#include "delivery_private.h"

#include <endian.h>
#include <stdlib.h>

/* Looks at the generations of all panels now and then: repairs what lost hints left behind. */

enum {
	/* While hints do not come. */
	SWEEP_WITHOUT_HINTS_MS = 2 * 1000,
	/* After something that could not be read. */
	SWEEP_AGAIN_MS = 500,
	BATCH = 1000,
};

struct sweep {
	struct delivery *delivery;
	struct arena arena;
	struct db_query query;
	struct id *ids;
	unsigned count;
};

/* A row of the result, by ID. */
struct found {
	struct map_node node;
	int64_t generation;
};

static int64_t read_int8(const struct record_value *value)
{
	uint64_t bits;

	memcpy(&bits, value->data, sizeof(bits));
	return (int64_t)be64toh(bits);
}

static bool find_generation(const struct map *found, struct id id, int64_t *ret_generation)
{
	struct map_node *node = map_find(found, (struct str){(const char *)id.bytes, ID_BYTES});

	if (!node)
		return false;
	*ret_generation = container_of(node, struct found, node)->generation;
	return true;
}

static void compare(struct sweep *sweep, const struct map *found)
{
	for (unsigned i = 0; i < sweep->count; i++) {
		struct panel *panel = panel_find(sweep->delivery, sweep->ids[i]);
		int64_t generation;

		if (!panel || panel->state != PANEL_READY)
			continue;
		/* A device that is gone is loaded, too: that ends it. */
		if (!find_generation(found, panel->id, &generation) ||
		    generation > panel->generation)
			panel_load_start(panel);
	}
}

static void on_generations(struct db_query *query, const struct db_result *result)
{
	struct sweep *sweep = container_of(query, struct sweep, query);
	struct map found = {0};
	struct found *rows;

	if (result->outcome == DB_OK) {
		rows = arena_zalloc(&sweep->arena, result->row_count * sizeof(rows[0]));
		for (unsigned i = 0; i < result->row_count; i++) {
			struct record_value id = db_value(result, i, 0);
			struct record_value generation = db_value(result, i, 1);

			rows[i].generation = read_int8(&generation);
			map_insert(&found, &rows[i].node,
				   (struct str){(const char *)id.data, id.length});
		}
		compare(sweep, &found);
		map_finish(&found);
	} else {
		sweep_soon(sweep->delivery);
	}
	arena_finish(&sweep->arena);
	free(sweep);
}

static struct sweep *sweep_create(struct delivery *delivery)
{
	struct sweep *sweep = memory_zalloc(sizeof(*sweep));

	sweep->delivery = delivery;
	sweep->ids = arena_alloc(&sweep->arena, BATCH * sizeof(sweep->ids[0]));
	return sweep;
}

static void sweep_send(struct sweep *sweep)
{
	db_parameters_init(&sweep->query.parameters, &sweep->arena);
	db_add_id_array(&sweep->query.parameters, sweep->ids, sweep->count);
	sweep->query.statement = STATEMENT_PANEL_GENERATIONS;
	sweep->query.done = on_generations;
	db_submit(sweep->delivery->db, &sweep->query);
}

void sweep_now(struct delivery *delivery)
{
	struct sweep *sweep = NULL;

	list_for_each (node, &delivery->by_use) {
		if (!sweep)
			sweep = sweep_create(delivery);
		sweep->ids[sweep->count++] = container_of(node, struct panel, by_use)->id;
		if (sweep->count == BATCH) {
			sweep_send(sweep);
			sweep = NULL;
		}
	}
	if (sweep)
		sweep_send(sweep);
}

static void on_deadline(struct deadline *deadline)
{
	struct delivery *delivery = container_of(deadline, struct delivery, sweep_deadline);

	panels_expire(delivery);
	turns_forget(delivery);
	if (db_is_up(delivery->db))
		sweep_now(delivery);
	sweep_start(delivery);
}

void sweep_start(struct delivery *delivery)
{
	const struct db *db = delivery->db;
	uint64_t in_ms = delivery->limits.sweep_ms;

	if (db && !db_hints_are_up(db) && in_ms > SWEEP_WITHOUT_HINTS_MS)
		in_ms = SWEEP_WITHOUT_HINTS_MS;
	if (!delivery->sweep_deadline.run)
		deadline_init(&delivery->sweep_deadline, on_deadline);
	deadline_set(delivery->loop, &delivery->sweep_deadline, in_ms);
}

void sweep_soon(struct delivery *delivery)
{
	uint64_t at_ms = loop_now_ms(delivery->loop) + SWEEP_AGAIN_MS;

	if (!delivery->is_draining && delivery->sweep_deadline.at_ms > at_ms)
		deadline_set_at(delivery->loop, &delivery->sweep_deadline, at_ms);
}

void sweep_stop(struct delivery *delivery)
{
	deadline_clear(delivery->loop, &delivery->sweep_deadline);
}
