#include "load.h"
#include "base/require.h"
#include "record/record.h"

#include <stdlib.h>

/* Panels that are to be loaded wait in a row; what waits at the end of a turn is read as one, so
 * that a change of all devices costs a few hundred reads and not one each. */

enum {
	BATCH = 64,
	/* Under way at a time: one is being read while another one is taken over. */
	BATCHES = 2,
	COLUMNS_MAX = 20,
};

/* What the database has of some devices, as it comes: two reads that travel together. */
struct load {
	struct delivery *delivery;
	struct arena arena;
	struct db_query devices_query;
	struct db_query installations_query;
	unsigned under_way;
	bool has_failed;
	struct panel *panels[BATCH];
	const struct panel_row *rows[BATCH]; /* NULL: no such device */
	unsigned count;
	const struct installation_row *installations; /* of all devices, in their order */
	unsigned installation_count;
};

static void *read_rows(const struct db_result *result, const struct record *record, size_t row_size,
		       struct arena *arena)
{
	char *rows = arena_zalloc(arena, row_size * result->row_count);
	struct record_value columns[COLUMNS_MAX];

	require(result->column_count == record_column_count(record) &&
		result->column_count <= array_length(columns));
	for (unsigned row = 0; row < result->row_count; row++) {
		for (unsigned column = 0; column < result->column_count; column++)
			columns[column] = db_value(result, row, column);
		record_read_row(record, columns, arena, rows + row * row_size);
	}
	return rows;
}

/* ---- what has come ---- */

/* What this device's load has brought. Entries are taken off the front of *rest. */
static void take_over(struct load *load, unsigned index, struct installation_rows *rest)
{
	struct panel *panel = load->panels[index];
	const struct panel_row *row = load->rows[index];
	struct installation_rows installations = {.rows = rest->rows};
	/* Where it failed, what is in memory goes on; the sweep tries again. */
	bool is_gone = load->has_failed ? panel->state == PANEL_NEW : !row;

	while (installations.count < rest->count &&
	       rest->rows[installations.count].number == index + 1)
		installations.count++;
	rest->rows += installations.count;
	rest->count -= installations.count;
	panel->load = NULL;
	if (panel->state == PANEL_GONE) {
		panel_free_if_gone(panel);
		return;
	}
	if (is_gone) {
		panel_destroy(panel);
		return;
	}
	if (!load->has_failed)
		panel_apply(panel, row, &installations);
	panel->pins++;
	panel_answer_searches(panel);
	panel->pins--;
	panel_changed(panel);
	if (load->has_failed) {
		panel->wanted_generation = panel->generation;
		sweep_soon(load->delivery);
	} else if (panel->wanted_generation > panel->generation) {
		/* A hint came while this was under way. Only once: a hint may also be wrong. */
		panel->wanted_generation = panel->generation;
		panel_load_start(panel);
	}
}

static void load_finish(struct load *load)
{
	struct delivery *delivery = load->delivery;
	struct installation_rows rest = {load->installations, load->installation_count};

	delivery->loads_under_way--;
	for (unsigned i = 0; i < load->count; i++)
		take_over(load, i, &rest);
	arena_finish(&load->arena);
	free(load);
	if (!list_is_empty(&delivery->to_load))
		loop_later(delivery->loop, &delivery->load_later);
}

static void on_devices(struct db_query *query, const struct db_result *result)
{
	struct load *load = container_of(query, struct load, devices_query);
	const struct panel_row *rows;

	if (result->outcome != DB_OK) {
		load->has_failed = true;
	} else {
		rows = read_rows(result, &panel_row_record, sizeof(rows[0]), &load->arena);
		for (unsigned i = 0; i < result->row_count; i++) {
			require(rows[i].number >= 1 && rows[i].number <= load->count);
			load->rows[rows[i].number - 1] = &rows[i];
		}
	}
	if (--load->under_way == 0)
		load_finish(load);
}

static void on_installations(struct db_query *query, const struct db_result *result)
{
	struct load *load = container_of(query, struct load, installations_query);

	if (result->outcome != DB_OK) {
		load->has_failed = true;
	} else {
		load->installations = read_rows(result, &installation_row_record,
						sizeof(load->installations[0]), &load->arena);
		load->installation_count = result->row_count;
	}
	if (--load->under_way == 0)
		load_finish(load);
}

/* ---- asking ---- */

/* Pictures newer than this are asked for. What was read with the device's generation may be older
 * than the installations that were read after it, so some pictures come twice; none is missed. */
static int64_t known_generation(const struct panel *panel)
{
	return panel->state == PANEL_READY ? panel->generation : -1;
}

static void ask(struct load *load, struct db_query *query, const struct id *ids,
		const int64_t *known)
{
	db_parameters_init(&query->parameters, &load->arena);
	db_add_id_array(&query->parameters, ids, load->count);
	db_add_int8_array(&query->parameters, known, load->count);
	load->under_way++;
	db_submit(load->delivery->db, query);
}

static void load_send(struct load *load)
{
	struct id ids[BATCH];
	int64_t known_pushes[BATCH];
	int64_t known[BATCH];

	for (unsigned i = 0; i < load->count; i++) {
		const struct panel *panel = load->panels[i];

		ids[i] = panel->id;
		known_pushes[i] = panel->content.push.generation;
		known[i] = known_generation(panel);
	}
	load->devices_query.statement = STATEMENT_PANEL_LOAD;
	load->devices_query.done = on_devices;
	load->installations_query.statement = STATEMENT_PANEL_ENTRIES;
	load->installations_query.done = on_installations;
	ask(load, &load->devices_query, ids, known_pushes);
	ask(load, &load->installations_query, ids, known);
}

/* A worker that stops answers who waits, and asks for nothing new. */
static bool is_needless(const struct panel *panel)
{
	return panel->delivery->is_draining && panel->state == PANEL_READY;
}

static void load_next(struct delivery *delivery)
{
	struct load *load = memory_zalloc(sizeof(*load));
	struct list *node;

	load->delivery = delivery;
	while (load->count < BATCH && (node = list_take_first(&delivery->to_load))) {
		struct panel *panel = container_of(node, struct panel, to_load);

		if (!is_needless(panel)) {
			panel->load = load;
			load->panels[load->count++] = panel;
		}
	}
	if (load->count == 0) {
		free(load);
		return;
	}
	delivery->loads_under_way++;
	load_send(load);
}

static void on_load_later(struct later *later)
{
	struct delivery *delivery = container_of(later, struct delivery, load_later);

	while (delivery->loads_under_way < BATCHES && !list_is_empty(&delivery->to_load))
		load_next(delivery);
}

void panel_load_start(struct panel *panel)
{
	struct delivery *delivery = panel->delivery;

	if (panel_is_loading(panel) || panel->state == PANEL_GONE || is_needless(panel))
		return;
	list_append(&delivery->to_load, &panel->to_load);
	loop_later(delivery->loop, &delivery->load_later);
}

bool panel_is_loading(const struct panel *panel)
{
	return panel->load || list_is_linked(&panel->to_load);
}

void loads_start(struct delivery *delivery)
{
	list_init(&delivery->to_load);
	loop_later_init(&delivery->load_later, on_load_later);
}

void loads_stop(struct delivery *delivery)
{
	loop_later_cancel(&delivery->load_later);
}
