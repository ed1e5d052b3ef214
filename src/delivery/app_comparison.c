#include "app_comparison.h"
#include "base/require.h"
#include "db/statements.h"

#include <stdlib.h>
#include <string.h>

enum {
	BATCH = 1000,
	/* Turns of reconciliation, which come every 30 s while hints arrive. */
	TURNS = 4,
};

struct batch {
	struct app_comparison *comparison;
	struct arena arena;
	struct db_query query;
	uint8_t (*keys)[RENDER_KEY_BYTES];
	struct str *texts; /* render keys in hexadecimal */
	int64_t *app_generations;
	int64_t *generations;
	unsigned count;
};

static void on_stale(struct db_query *query, const struct db_result *result)
{
	struct batch *batch = container_of(query, struct batch, query);
	struct app_comparison *comparison = batch->comparison;
	const struct render_keys_stale_row *rows;

	comparison->is_under_way = false;
	if (result->outcome == DB_OK) {
		rows = db_read_rows(result, query->record, &batch->arena);
		for (unsigned i = 0; i < result->row_count; i++) {
			require(rows[i].number >= 1 && rows[i].number <= batch->count);
			render_keys_read(comparison->render_keys, batch->keys[rows[i].number - 1]);
		}
	} else {
		comparison->render_keys->has_missed = true;
		while (list_take_first(&comparison->to_compare))
			continue; /* the next turn compares them */
	}
	arena_finish(&batch->arena);
	free(batch);
	if (!list_is_empty(&comparison->to_compare))
		loop_later(comparison->render_keys->loop, &comparison->next);
}

static struct batch *take_some(struct app_comparison *comparison)
{
	struct batch *batch = memory_zalloc(sizeof(*batch));
	struct arena *arena = &batch->arena;
	struct list *node;

	batch->comparison = comparison;
	batch->keys = arena_alloc(arena, BATCH * sizeof(batch->keys[0]));
	batch->texts = arena_alloc(arena, BATCH * sizeof(batch->texts[0]));
	batch->app_generations = arena_alloc(arena, BATCH * sizeof(int64_t));
	batch->generations = arena_alloc(arena, BATCH * sizeof(int64_t));
	while (batch->count < BATCH && (node = list_take_first(&comparison->to_compare))) {
		const struct render_key *render_key =
		    container_of(node, struct render_key, to_compare);
		unsigned i = batch->count++;

		memcpy(batch->keys[i], render_key->key, RENDER_KEY_BYTES);
		batch->texts[i] = render_key_text(render_key, arena);
		batch->app_generations[i] = render_key->app_generation;
		batch->generations[i] = render_key->generation;
	}
	return batch;
}

static void on_next(struct later *later)
{
	struct app_comparison *comparison = container_of(later, struct app_comparison, next);
	struct batch *batch;

	if (comparison->is_under_way || comparison->render_keys->is_draining ||
	    list_is_empty(&comparison->to_compare))
		return;
	batch = take_some(comparison);
	comparison->is_under_way = true;
	db_query_init(&batch->query, &batch->arena);
	statement_render_keys_stale(&batch->query,
				    &(struct render_keys_stale_parameters){
					.render_keys = {batch->texts, batch->count},
					.app_generations = {batch->app_generations, batch->count},
					.render_generations = {batch->generations, batch->count},
				    },
				    NULL);
	batch->query.done = on_stale;
	db_submit(comparison->render_keys->db, &batch->query);
}

static void app_comparison_begin(struct app_comparison *comparison)
{
	struct map_node *node = NULL;

	comparison->turns = 0;
	if (comparison->render_keys->is_draining || comparison->is_under_way ||
	    !list_is_empty(&comparison->to_compare))
		return;
	comparison->render_keys->has_missed = false;
	while ((node = map_next(&comparison->render_keys->by_key, node)))
		list_append(&comparison->to_compare,
			    &container_of(node, struct render_key, by_key)->to_compare);
	loop_later(comparison->render_keys->loop, &comparison->next);
}

void app_comparison_turn(struct app_comparison *comparison)
{
	comparison->turns++;
	if (!db_hints_are_up(comparison->render_keys->db) || comparison->render_keys->has_missed ||
	    comparison->turns >= TURNS)
		app_comparison_begin(comparison);
}

void app_comparison_on_hints_up(struct app_comparison *comparison, bool up)
{
	if (!up)
		return;
	/* Begin another comparison after the one that may be under way. */
	comparison->render_keys->has_missed = true;
	app_comparison_begin(comparison);
}

void app_comparison_init(struct app_comparison *comparison, struct render_keys *render_keys)
{
	*comparison = (struct app_comparison){.render_keys = render_keys};
	list_init(&comparison->to_compare);
	loop_later_init(&comparison->next, on_next);
}

void app_comparison_finish(struct app_comparison *comparison)
{
	require(!comparison->is_under_way);
	loop_later_cancel(&comparison->next);
}
