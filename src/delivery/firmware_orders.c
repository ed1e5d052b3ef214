#include "firmware_orders.h"
#include "base/memory.h"
#include "base/require.h"
#include "db/db.h"
#include "db/statements.h"

#include <stdlib.h>

struct firmware_taking {
	struct firmware_orders *orders;
	struct panel *panel; /* held */
	int64_t generation;
	struct arena arena;
	struct db_query query;
};

static void on_taken(struct db_query *query, const struct db_result *result)
{
	struct firmware_taking *taking = container_of(query, struct firmware_taking, query);
	struct firmware_orders *orders = taking->orders;
	struct panel *panel = taking->panel;
	struct firmware_take_row row;

	panel->takes_firmware = false;
	/* If the database is unavailable, the next load brings them again. Newer settings stay. */
	if (panel->ways && panel->ways->firmware_generation == taking->generation)
		panel->ways->firmware_generation = 0;
	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &taking->arena, &row);
		if (panel->state != PANEL_GONE)
			orders->on_taken(orders->context, panel, row.settings);
	}
	orders->under_way--;
	panel_let_go(panel);
	arena_finish(&taking->arena);
	free(taking);
}

void firmware_orders_take(struct firmware_orders *orders, struct panel *panel)
{
	struct firmware_taking *taking;

	if (panel->takes_firmware || !panel->ways || panel->ways->firmware_generation == 0)
		return;
	panel->takes_firmware = true;
	taking = memory_zalloc(sizeof(*taking));
	taking->orders = orders;
	taking->panel = panel;
	taking->generation = panel->ways->firmware_generation;
	panel_hold(panel);
	orders->under_way++;
	db_query_init(&taking->query, &taking->arena);
	statement_firmware_take(&taking->query,
				&(struct firmware_take_parameters){panel->id, taking->generation},
				NULL);
	taking->query.done = on_taken;
	db_submit(orders->db, &taking->query);
}

void firmware_orders_finish(struct firmware_orders *orders)
{
	require(orders->under_way == 0);
}
