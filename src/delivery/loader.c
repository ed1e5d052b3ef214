#include "loader.h"
#include "base/require.h"
#include "following.h"
#include "panel_rows.h"
#include "stored_push.h"

#include <stdlib.h>

enum {
	BATCH = 64,
	/* Loads under way at a time: the database reads one while this worker processes another.
	 */
	BATCHES = 2,
};
_Static_assert((int)BATCH <= UINT8_MAX, "panel->load_index has no room");

/* State of a panel that was known when its load began. */
struct load_mark {
	int64_t wanted_generation;
	uint64_t changes;
};

/* Load of the content of some panels, by two statements that are sent together; or of their newest
 * pushes, by one. */
struct load {
	struct loader *loader;
	struct arena arena;
	bool is_of_pushes;
	struct db_query devices_query; /* or query of the pushes */
	struct db_query installations_query;
	unsigned under_way;
	bool has_failed;
	struct panel *panels[BATCH];
	struct load_mark marks[BATCH];
	const struct panel_load_row *rows[BATCH];     /* NULL: no such device */
	const struct panel_pushes_row *pushes[BATCH]; /* NULL: more than a push has changed */
	unsigned count;
	const struct panel_installations_row *installations; /* of all devices, in the order of the
								devices */
	unsigned installation_count;
};

/* A stopping worker reads only panels that it never had. Look-ups that wait for others are answered
 * from memory. */
static bool is_needless(const struct loader *loader, const struct panel *panel)
{
	return loader->is_draining && panel->state == PANEL_READY;
}

/* ---- answers of the database ---- */

/* Takes the installations of the device with this number from the front of *rest. */
static struct installation_rows take_rows(unsigned number, struct installation_rows *rest)
{
	struct installation_rows rows = {.rows = rest->rows};

	while (rows.count < rest->count && rest->rows[rows.count].number == number)
		rows.count++;
	if (rows.count) /* else rows may be NULL */
		rest->rows += rows.count;
	rest->count -= rows.count;
	return rows;
}

/* Reports the outcome of a panel's load. */
static void notify(struct loader *loader, struct panel *panel, const struct load_mark *mark,
		   enum load_outcome outcome)
{
	bool is_behind = outcome != LOAD_FAILED && panel->wanted_generation > panel->generation;

	/* Look-ups may wait for a load after this one, which a stopping worker does not begin. */
	if (is_needless(loader, panel) && panel->loads_begun < panel->loads_wanted)
		panel->loads_begun = panel->loads_wanted;
	panel->loads_done = panel->loads_begun;
	/* After a failed load the panel keeps its content; reconciliation comes soon. */
	panel->changes_known = mark->changes;
	loader->on_loaded(loader->context, panel, outcome);
	/* A newer hint came during the load, so the panel is loaded again. Only once: the hint may
	 * be wrong. Or a look-up came after this load had begun. */
	panel->wanted_generation = panel->generation;
	if (is_behind || panel->loads_done < panel->loads_wanted)
		loader_load(loader, panel);
}

static bool take_push(struct panel *panel, const struct panel_pushes_row *row)
{
	struct stored_push push;

	if (!row)
		return false;
	panel_make_room(panel);
	push = (struct stored_push){
	    .generation = row->generation,
	    .picture = row->picture,
	    .installation_id = row->installation_id,
	    .duration_s = row->duration_s,
	    .in_background = row->in_background,
	    .is_held = row->is_held,
	    .is_waking = row->is_waking,
	    .expires_in_ms = row->expires_in_ms,
	};
	return panel_take_push(panel, &push);
}

static void take_over_push(struct load *load, unsigned index)
{
	struct panel *panel = load->panels[index];
	const struct load_mark *mark = &load->marks[index];

	panel->load = NULL;
	if (panel->state == PANEL_GONE)
		return;
	if (load->has_failed)
		notify(load->loader, panel, mark, LOAD_FAILED);
	else if (take_push(panel, load->pushes[index]))
		notify(load->loader, panel, mark, LOAD_DONE);
	else if (is_needless(load->loader, panel))
		notify(load->loader, panel, mark, LOAD_FAILED);
	else
		loader_load(load->loader, panel);
}

static void load_leader(struct loader *loader, const struct panel *panel)
{
	struct panel *leader = panel_leader(panel);

	if (leader && leader->state == PANEL_NEW)
		loader_load(loader, leader);
}

static void take_over(struct load *load, unsigned index, struct installation_rows *rest)
{
	struct installation_rows rows = take_rows(index + 1, rest);
	struct panel *panel = load->panels[index];
	const struct load_mark *mark = &load->marks[index];
	const struct panel_load_row *row = load->rows[index];
	bool is_gone = load->has_failed ? panel->state == PANEL_NEW : !row;
	bool is_locked_out;

	panel->load = NULL;
	if (panel->state == PANEL_GONE)
		return;
	if (is_gone) {
		panel->is_unread = load->has_failed;
		panel_destroy(panel);
	} else if (load->has_failed) {
		notify(load->loader, panel, mark, LOAD_FAILED);
	} else {
		is_locked_out = panel_apply(panel, row, &rows);
		load_leader(load->loader, panel);
		panel->loaded_ms = loop_now_ms(load->loader->loop);
		notify(load->loader, panel, mark, is_locked_out ? LOAD_LOCKED_OUT : LOAD_DONE);
	}
}

static void load_finish(struct load *load)
{
	struct loader *loader = load->loader;
	struct installation_rows rest = {load->installations, load->installation_count};

	loader->under_way--;
	for (unsigned i = 0; i < load->count; i++) {
		if (load->is_of_pushes)
			take_over_push(load, i);
		else
			take_over(load, i, &rest);
		panel_let_go(load->panels[i]);
	}
	arena_finish(&load->arena);
	free(load);
	if (!fair_queue_is_empty(&loader->queue))
		loop_later(loader->loop, &loader->send);
}

static void on_devices(struct db_query *query, const struct db_result *result)
{
	struct load *load = container_of(query, struct load, devices_query);
	struct panel_load_row *rows;

	if (result->outcome != DB_OK) {
		load->has_failed = true;
	} else {
		rows = db_read_rows(result, query->record, &load->arena);
		for (unsigned i = 0; i < result->row_count; i++) {
			require(rows[i].number >= 1 && rows[i].number <= load->count);
			load->rows[rows[i].number - 1] = &rows[i];
			if (rows[i].repeats_picture && i > 0)
				rows[i].push_picture = rows[i - 1].push_picture;
		}
	}
	if (--load->under_way == 0)
		load_finish(load);
}

static void on_pushes(struct db_query *query, const struct db_result *result)
{
	struct load *load = container_of(query, struct load, devices_query);
	struct panel_pushes_row *rows;

	if (result->outcome != DB_OK) {
		load->has_failed = true;
	} else {
		rows = db_read_rows(result, query->record, &load->arena);
		for (unsigned i = 0; i < result->row_count; i++) {
			require(rows[i].number >= 1 && rows[i].number <= load->count);
			load->pushes[rows[i].number - 1] = &rows[i];
			if (rows[i].repeats_picture && i > 0)
				rows[i].picture = rows[i - 1].picture;
		}
	}
	load->under_way--;
	load_finish(load);
}

static void on_installations(struct db_query *query, const struct db_result *result)
{
	struct load *load = container_of(query, struct load, installations_query);

	/* If the devices were not read first, a picture of their generation may be missing. */
	if (result->outcome != DB_OK || load->under_way == 2) {
		load->has_failed = true;
	} else {
		load->installations = db_read_rows(result, query->record, &load->arena);
		load->installation_count = result->row_count;
	}
	if (--load->under_way == 0)
		load_finish(load);
}

/* ---- queries ---- */

/* The database sends only pictures that are newer than this. A load reads the device first and its
 * installations after it, over one connection: the installations may be newer than the device's
 * generation, and some pictures come twice, but none is missed. */
static int64_t known_generation(const struct panel *panel)
{
	return panel->state == PANEL_READY ? panel->generation : -1;
}

static void send_pushes(struct load *load)
{
	struct id ids[BATCH];
	int64_t known[BATCH];

	for (unsigned i = 0; i < load->count; i++) {
		ids[i] = load->panels[i]->id;
		known[i] = load->panels[i]->generation;
	}
	db_query_init(&load->devices_query, &load->arena);
	statement_panel_pushes(&load->devices_query,
			       &(struct panel_pushes_parameters){
				   .ids = {ids, load->count},
				   .known_generations = {known, load->count},
			       },
			       NULL);
	load->devices_query.done = on_pushes;
	load->under_way = 1;
	db_submit(load->loader->db, &load->devices_query);
}

static void send_all(struct load *load)
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
	db_query_init(&load->devices_query, &load->arena);
	statement_panel_load(&load->devices_query,
			     &(struct panel_load_parameters){
				 .ids = {ids, load->count},
				 .known_push_generations = {known_pushes, load->count},
			     },
			     NULL);
	load->devices_query.done = on_devices;
	db_query_init(&load->installations_query, &load->arena);
	statement_panel_installations(&load->installations_query,
				      &(struct panel_installations_parameters){
					  .device_ids = {ids, load->count},
					  .known_generations = {known, load->count},
					  .day_count = SCHEDULE_KNOWN_DAYS,
				      },
				      NULL);
	load->installations_query.done = on_installations;
	load->under_way = 2;
	db_submit(load->loader->db, &load->devices_query);
	db_submit(load->loader->db, &load->installations_query);
}

static struct load_mark begin_load(struct panel *panel)
{
	panel->loads_begun++;
	return (struct load_mark){.wanted_generation = panel->wanted_generation,
				  .changes = change_count(panel->changes)};
}

static struct load *load_create(struct loader *loader, bool is_of_pushes)
{
	struct load *load = memory_zalloc(sizeof(*load));

	load->loader = loader;
	load->is_of_pushes = is_of_pushes;
	return load;
}

static void load_send(struct load *load)
{
	if (load->count == 0) {
		free(load);
		return;
	}
	load->loader->under_way++;
	if (load->is_of_pushes)
		send_pushes(load);
	else
		send_all(load);
}

static void send_next(struct loader *loader)
{
	struct load *all = load_create(loader, false), *pushes = load_create(loader, true);
	struct list *node;

	while (all->count < BATCH && pushes->count < BATCH &&
	       (node = fair_queue_take(&loader->queue))) {
		struct panel *panel = container_of(node, struct panel, to_load);
		struct load *load = panel->wants_push ? pushes : all;
		struct load_mark mark = begin_load(panel);

		if (is_needless(loader, panel)) {
			notify(loader, panel, &mark, LOAD_FAILED);
			panel_let_go(panel);
		} else {
			panel->load = load;
			panel->load_index = (uint8_t)load->count;
			load->marks[load->count] = mark;
			load->panels[load->count++] = panel;
		}
	}
	load_send(all);
	load_send(pushes);
}

static void on_send(struct later *later)
{
	struct loader *loader = container_of(later, struct loader, send);

	while (loader->under_way < BATCHES && !fair_queue_is_empty(&loader->queue))
		send_next(loader);
}

static void enqueue(struct loader *loader, struct panel *panel)
{
	panel_hold(panel);
	fair_queue_add(&loader->queue, &panel->share->loads, &panel->to_load);
	loop_later(loader->loop, &loader->send);
}

void loader_load(struct loader *loader, struct panel *panel)
{
	if (panel->load && panel->load->is_of_pushes)
		panel->loads_wanted = panel->loads_begun + 1;
	panel->wants_push = false; /* even if it waits in the queue */
	if (panel_is_loading(panel) || panel->state == PANEL_GONE || is_needless(loader, panel))
		return;
	enqueue(loader, panel);
}

/* Notes that the device is at this generation. Returns false if that is known, or not needed. */
static bool note_generation(struct panel *panel, int64_t generation)
{
	if (!panel || generation <= panel->generation)
		return false;
	/* A load under way may return an older generation than this one. */
	if (generation > panel->wanted_generation)
		panel->wanted_generation = generation;
	return panel->state == PANEL_READY;
}

void loader_changed(struct loader *loader, struct id device_id, int64_t generation)
{
	struct panel *panel = panels_find(loader->panels, device_id);

	if (note_generation(panel, generation) && !panel->load)
		loader_load(loader, panel);
}

void loader_pushed(struct loader *loader, struct id device_id, int64_t generation)
{
	struct panel *panel = panels_find(loader->panels, device_id);

	if (!note_generation(panel, generation) || panel->load || is_needless(loader, panel))
		return;
	if (generation != panel->generation + 1) {
		loader_load(loader, panel);
	} else if (!list_is_linked(&panel->to_load)) {
		panel->wants_push = true;
		enqueue(loader, panel);
	}
}

void loader_forget(struct panel *panel)
{
	if (!list_is_linked(&panel->to_load))
		return;
	list_remove(&panel->to_load);
	panel_let_go(panel);
}

/* Whether the load under way began late enough to read everything that is known now. */
static bool reads_all(const struct panel *panel, uint64_t changes)
{
	const struct load_mark *mark = panel->load ? &panel->load->marks[panel->load_index] : NULL;

	return mark && mark->changes == changes &&
	       mark->wanted_generation >= panel->wanted_generation;
}

bool loader_freshen(struct loader *loader, struct panel *panel, uint32_t *ret_load)
{
	uint64_t changes = change_count(panel->changes);
	bool is_behind = panel_is_loading(panel) && panel->wanted_generation > panel->generation;
	uint32_t number = panel->loads_begun + (reads_all(panel, changes) ? 0 : 1);

	if (is_needless(loader, panel) ||
	    (panel->state == PANEL_READY && panel->changes_known == changes && !is_behind))
		return true;
	panel->loads_wanted = number;
	/* A load of everything includes the push that the panel waits for. */
	if (!panel_is_loading(panel))
		loader_load(loader, panel);
	*ret_load = number;
	return false;
}

bool loader_freshen_shown(struct loader *loader, struct panel *panel)
{
	struct panel *leader = panel_leader(panel);
	uint32_t load;

	return loader_freshen(loader, panel, &load) &&
	       (!leader || loader_freshen(loader, leader, &load));
}

void loader_note_change(struct loader *loader, struct id device_id, int64_t generation)
{
	struct panel *panel = panels_find(loader->panels, device_id);
	uint64_t before = change_note(change_counter_of(loader->panels->changes, device_id));

	if (panel && panel->state == PANEL_READY && panel->generation >= generation &&
	    panel->changes_known == before)
		panel->changes_known++;
}

void loader_init(struct loader *loader)
{
	require(db_keeps_order_of_reads(loader->db));
	fair_queue_init(&loader->queue);
	loop_later_init(&loader->send, on_send);
}

void loader_finish(struct loader *loader)
{
	require(loader->under_way == 0);
	loop_later_cancel(&loader->send);
}

void loader_drain(struct loader *loader)
{
	loader->is_draining = true;
}
