#include "series.h"
#include "delivery/delivery.h"
#include "domain/firmware_image.h"
#include "domain/panel_report.h"

#include <stdio.h>

enum {
	SOON_MS = 30,
	RUNNING_MS = 1000,    /* while a series is running */
	QUIET_MS = 30 * 1000, /* while there is none */
	TURNS_MAX = 100,      /* devices looked at together: at most one of them gets firmware */
};

static void look_after(struct series *series, uint64_t ms)
{
	uint64_t at_ms = loop_now_ms(series->loop) + ms;

	if (series->is_draining || series->is_asking ||
	    (deadline_is_set(&series->look) && series->look_ms <= at_ms))
		return;
	series->look_ms = at_ms;
	deadline_set_at(series->loop, &series->look, at_ms);
}

static void tell_pages(struct series *series, struct id account)
{
	char id[ID_TEXT_LENGTH + 1], word[80];

	id_format(account, id);
	snprintf(word, sizeof(word), "changed:%s:devices", id);
	db_hint(series->db, str_from(word));
}

/* Why a device whose turn has come gets no firmware; NULL: it gets it. */
static const char *why_left_out(const struct series *series,
				const struct firmware_series_look_row *row)
{
	int64_t since_us;

	if (id_is_none(row->image_id))
		return "the server has no higher version for the panel any more";
	if (panel_updates_of(row->firmware_version) != PANEL_ORDERS_TAKEN)
		return "updates require firmware 1.4.6 or newer";
	if (!delivery_is_online(series->delivery, row->next_id, row->last_online_at,
				row->has_connected, &since_us))
		return "the panel is offline";
	if (delivery_has_several_connections(series->delivery, row->next_id))
		return "the device has several panel connections, and each of them would get the "
		       "firmware";
	return NULL;
}

static void on_stepped(struct db_query *query, const struct db_result *result)
{
	struct series *series = container_of(query, struct series, query);

	series->is_asking = false;
	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &series->arena, &series->step);
		if (series->step.generation)
			delivery_device_changed(series->delivery, series->device_id,
						series->step.generation);
		tell_pages(series, series->step.account_id);
	}
	arena_finish(&series->arena);
	look_after(series, result->outcome == DB_OK ? SOON_MS : RUNNING_MS);
}

/* Finds the first of the rows whose device gets the firmware, and the reasons of those before it.
 */
static struct firmware_series_step_parameters read_turns(struct series *series,
							 const struct db_result *result)
{
	struct id *left = arena_alloc(&series->arena, TURNS_MAX * sizeof(*left));
	struct str *reasons = arena_alloc(&series->arena, TURNS_MAX * sizeof(*reasons));
	struct firmware_series_step_parameters step = {.series_id = series->row.series_id};
	unsigned count = 0;

	for (unsigned i = 0; i < result->row_count && count < TURNS_MAX; i++) {
		struct firmware_series_look_row row = {0};
		const char *reason;

		db_read_row(result, i, series->query.record, &series->arena, &row);
		reason = why_left_out(series, &row);
		if (!reason) {
			step.device_id = row.next_id;
			step.image_id = row.image_id;
			break;
		}
		left[count] = row.next_id;
		reasons[count++] = str_from(reason);
	}
	step.left_ids = (struct db_ids){left, count};
	step.reasons = (struct db_texts){reasons, count};
	return step;
}

/* Texts of the parameters lie in the arena, which the query uses on. */
static void take_step(struct series *series, const struct firmware_series_step_parameters *step)
{
	series->is_asking = true;
	series->device_id = step->device_id;
	db_query_init(&series->query, &series->arena);
	statement_firmware_series_step(&series->query, step, NULL);
	series->query.done = on_stepped;
	db_submit(series->db, &series->query);
}

static void on_looked(struct db_query *query, const struct db_result *result)
{
	struct series *series = container_of(query, struct series, query);
	struct firmware_series_look_row *row = &series->row;
	struct firmware_series_step_parameters step;

	series->is_asking = false;
	*row = (struct firmware_series_look_row){0};
	if (result->outcome == DB_OK && result->row_count)
		db_read_row(result, 0, query->record, &series->arena, row);
	if (!id_is_none(row->changed_id))
		tell_pages(series, row->changed_id);
	if (!id_is_none(row->next_id) && !series->is_draining) {
		step = read_turns(series, result);
		take_step(series, &step);
		return;
	}
	arena_finish(&series->arena);
	look_after(series, !id_is_none(row->changed_id)			 ? SOON_MS
			   : row->is_running || result->outcome != DB_OK ? RUNNING_MS
									 : QUIET_MS);
}

static void on_look(struct deadline *deadline)
{
	struct series *series = container_of(deadline, struct series, look);

	if (!db_is_up(series->db)) {
		look_after(series, RUNNING_MS);
		return;
	}
	series->is_asking = true;
	db_query_init(&series->query, &series->arena);
	statement_firmware_series_look(&series->query,
				       &(struct firmware_series_look_parameters){TURNS_MAX}, NULL);
	series->query.done = on_looked;
	db_submit(series->db, &series->query);
}

void series_look_soon(struct series *series)
{
	look_after(series, SOON_MS);
}

void series_init(struct series *series, struct loop *loop, struct db *db, struct delivery *delivery)
{
	*series = (struct series){.loop = loop, .db = db, .delivery = delivery};
	deadline_init(&series->look, on_look);
	look_after(series, RUNNING_MS);
}

void series_drain(struct series *series)
{
	series->is_draining = true;
	deadline_clear(series->loop, &series->look);
}
