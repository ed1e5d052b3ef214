#include "reconciliation.h"
#include "base/clock.h"
#include "db/statements.h"

#include <stdlib.h>

enum {
	/* While the hint connection is down. */
	WITHOUT_HINTS_MS = 2 * 1000,
	/* After a read that has failed. */
	AGAIN_MS = 500,
	BATCH = 1000,
};

struct comparison {
	struct reconciliation *reconciliation;
	struct arena arena;
	struct db_query query;
	struct id *ids;
	unsigned count;
};

/* A row of the result, to be found by its ID. */
struct found {
	struct map_node node; /* key: the ID of the row */
	const struct panel_generations_row *row;
};

static const struct panel_generations_row *find_row(const struct map *found, struct id id)
{
	struct map_node *node = map_find(found, (struct str){(const char *)id.bytes, ID_BYTES});

	return node ? container_of(node, struct found, node)->row : NULL;
}

static bool is_old(const struct panel *panel)
{
	int64_t known_until_us = panel->content.known_until_us;

	return known_until_us && clock_wall_us() > known_until_us;
}

static void compare(struct comparison *comparison, const struct map *found)
{
	const struct reconciliation *reconciliation = comparison->reconciliation;

	for (unsigned i = 0; i < comparison->count; i++) {
		struct panel *panel = panels_find(reconciliation->panels, comparison->ids[i]);
		const struct panel_generations_row *row;

		if (!panel || panel->state != PANEL_READY)
			continue;
		row = find_row(found, panel->id);
		if (row && panel->is_held != row->is_held)
			reconciliation->on_held(reconciliation->context, panel, row->is_held);
		/* A device without a row is gone: its load will destroy the panel. */
		if (!row || row->generation > panel->generation || is_old(panel))
			loader_load(reconciliation->loader, panel);
	}
}

static void on_generations(struct db_query *query, const struct db_result *result)
{
	struct comparison *comparison = container_of(query, struct comparison, query);
	struct map found = {0};
	const struct panel_generations_row *rows;
	struct found *nodes;

	if (result->outcome == DB_OK) {
		rows = db_read_rows(result, query->record, &comparison->arena);
		nodes = arena_zalloc(&comparison->arena, result->row_count * sizeof(nodes[0]));
		for (unsigned i = 0; i < result->row_count; i++) {
			nodes[i].row = &rows[i];
			map_insert(&found, &nodes[i].node,
				   (struct str){(const char *)rows[i].id.bytes, ID_BYTES});
		}
		compare(comparison, &found);
		map_finish(&found);
	} else {
		reconciliation_soon(comparison->reconciliation);
	}
	arena_finish(&comparison->arena);
	free(comparison);
}

static struct comparison *create(struct reconciliation *reconciliation)
{
	struct comparison *comparison = memory_zalloc(sizeof(*comparison));

	comparison->reconciliation = reconciliation;
	comparison->ids = arena_alloc(&comparison->arena, BATCH * sizeof(comparison->ids[0]));
	return comparison;
}

static void send_query(struct comparison *comparison)
{
	db_query_init(&comparison->query, &comparison->arena);
	statement_panel_generations(&comparison->query,
				    &(struct panel_generations_parameters){
					.ids = {comparison->ids, comparison->count},
					.presence_id = comparison->reconciliation->presence_id,
				    },
				    NULL);
	comparison->query.done = on_generations;
	db_submit(comparison->reconciliation->db, &comparison->query);
}

static void compare_all(struct reconciliation *reconciliation)
{
	struct comparison *comparison = NULL;

	list_for_each (node, &reconciliation->panels->by_use) {
		if (!comparison)
			comparison = create(reconciliation);
		comparison->ids[comparison->count++] = container_of(node, struct panel, by_use)->id;
		if (comparison->count == BATCH) {
			send_query(comparison);
			comparison = NULL;
		}
	}
	if (comparison)
		send_query(comparison);
}

static void set_next(struct reconciliation *reconciliation)
{
	uint64_t in_ms = reconciliation->interval_ms;

	if (!db_hints_are_up(reconciliation->db) && in_ms > WITHOUT_HINTS_MS)
		in_ms = WITHOUT_HINTS_MS;
	deadline_set(reconciliation->loop, &reconciliation->deadline, in_ms);
}

static void on_deadline(struct deadline *deadline)
{
	struct reconciliation *reconciliation =
	    container_of(deadline, struct reconciliation, deadline);

	reconciliation->on_turn(reconciliation->context);
	if (db_is_up(reconciliation->db))
		compare_all(reconciliation);
	set_next(reconciliation);
}

void reconciliation_init(struct reconciliation *reconciliation)
{
	deadline_init(&reconciliation->deadline, on_deadline);
	set_next(reconciliation);
}

void reconciliation_set_interval(struct reconciliation *reconciliation, uint64_t interval_ms)
{
	reconciliation->interval_ms = interval_ms;
	set_next(reconciliation);
}

void reconciliation_on_hints_up(struct reconciliation *reconciliation, bool up)
{
	if (reconciliation->is_draining)
		return;
	if (up)
		compare_all(reconciliation);
	set_next(reconciliation);
}

void reconciliation_soon(struct reconciliation *reconciliation)
{
	reconciliation_within(reconciliation, AGAIN_MS);
}

void reconciliation_within(struct reconciliation *reconciliation, uint64_t in_ms)
{
	uint64_t at_ms = loop_now_ms(reconciliation->loop) + in_ms;

	if (!reconciliation->is_draining && reconciliation->deadline.at_ms > at_ms)
		deadline_set_at(reconciliation->loop, &reconciliation->deadline, at_ms);
}

void reconciliation_drain(struct reconciliation *reconciliation)
{
	reconciliation->is_draining = true;
	deadline_clear(reconciliation->loop, &reconciliation->deadline);
}

void reconciliation_finish(struct reconciliation *reconciliation)
{
	deadline_clear(reconciliation->loop, &reconciliation->deadline);
}
