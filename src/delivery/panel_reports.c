#include "panel_reports.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/require.h"
#include "change_hint.h"
#include "db/statements.h"

#include <stdlib.h>

enum {
	WAITING_MAX = 256,
	WRITE_MS = 500,
	AGAIN_MS = 2 * 1000, /* while the database is unavailable */
};

struct report {
	struct list node;
	struct id device_id;
	struct panel_report told; /* its texts lie in the next members */
	char texts[4][PANEL_TEXT_BYTES_MAX];
	char settings[FIRMWARE_SETTINGS_BYTES_MAX];
	bool has_mac;
	uint8_t mac[MAC_BYTES];
};

struct batch {
	struct panel_reports *reports;
	struct arena arena;
	struct db_query query;
	struct list taken;
};

/* Write of a MAC address to a device. */
struct learning {
	struct panel_reports *reports;
	struct arena arena;
	struct db_query query;
	struct id device_id;
	struct panel_mac_row row;
};

static void free_all(struct list *reports)
{
	struct list *node;

	while ((node = list_take_first(reports)))
		free(container_of(node, struct report, node));
}

/* Adds a report. Returns false if there is no room; the report stays the caller's then. */
static bool add(struct panel_reports *reports, struct report *report, uint64_t in_ms)
{
	if (reports->count == WAITING_MAX || reports->is_draining)
		return false;
	list_append(&reports->waiting, &report->node);
	reports->count++;
	if (!deadline_is_set(&reports->deadline))
		deadline_set(reports->loop, &reports->deadline, in_ms);
	return true;
}

static struct report *find(const struct list *reports, struct id device_id)
{
	list_for_each (node, reports) {
		struct report *report = container_of(node, struct report, node);

		if (id_equal(report->device_id, device_id))
			return report;
	}
	return NULL;
}

/* ---- MAC address ---- */

static void on_learnt(struct db_query *query, const struct db_result *result)
{
	struct learning *learning = container_of(query, struct learning, query);

	if (result->outcome == DB_OK && result->row_count) {
		db_read_row(result, 0, query->record, &learning->arena, &learning->row);
		change_hint_send(learning->reports->db, STR("device"), learning->device_id,
				 learning->row.generation);
	}
	learning->reports->under_way--;
	arena_finish(&learning->arena);
	free(learning);
}

static void learn_mac(struct panel_reports *reports, const struct report *report)
{
	struct learning *learning = memory_zalloc(sizeof(*learning));
	struct str mac = {(const char *)report->mac, MAC_BYTES};

	learning->reports = reports;
	learning->device_id = report->device_id;
	db_query_init(&learning->query, &learning->arena);
	statement_panel_mac(&learning->query,
			    &(struct panel_mac_parameters){
				.id = report->device_id,
				.mac = arena_copy(&learning->arena, mac),
			    },
			    NULL);
	learning->query.done = on_learnt;
	reports->under_way++;
	db_submit(reports->db, &learning->query);
}

/* ---- reports ---- */

static void take_rows(const struct batch *batch, const struct panel_told_row *rows, unsigned count)
{
	struct panel_reports *reports = batch->reports;

	for (unsigned i = 0; i < count; i++) {
		const struct report *report = find(&batch->taken, rows[i].device_id);

		if (rows[i].is_new) /* pages show it */
			change_hint_send(reports->db, STR("device"), rows[i].device_id,
					 rows[i].generation);
		if (report && rows[i].is_mac_new && !reports->is_draining)
			learn_mac(reports, report);
	}
}

/* Queues reports that the database did not take again, unless their panels have sent newer ones. */
static void keep(struct batch *batch)
{
	struct panel_reports *reports = batch->reports;
	struct list *node;

	while ((node = list_take_first(&batch->taken))) {
		struct report *report = container_of(node, struct report, node);

		if (find(&reports->waiting, report->device_id) || !add(reports, report, AGAIN_MS))
			free(report);
	}
}

static void on_written(struct db_query *query, const struct db_result *result)
{
	struct batch *batch = container_of(query, struct batch, query);

	if (result->outcome == DB_OK && result->row_count)
		take_rows(batch, db_read_rows(result, query->record, &batch->arena),
			  result->row_count);
	else if (result->outcome == DB_UNAVAILABLE)
		keep(batch);
	batch->reports->under_way--;
	free_all(&batch->taken);
	arena_finish(&batch->arena);
	free(batch);
}

/* Empty: the panel has reported none. */
static struct str mac_text(const struct report *report, struct arena *arena)
{
	char text[MAC_TEXT_LENGTH + 1];

	if (!report->has_mac)
		return STR("");
	mac_format(report->mac, text);
	return arena_copy(arena, str_from(text));
}

static void ask(struct batch *batch, unsigned count)
{
	struct str *texts[6];
	int64_t *protocols = arena_alloc(&batch->arena, count * sizeof(protocols[0]));
	int64_t *signals = arena_alloc(&batch->arena, count * sizeof(signals[0]));
	struct id *ids = arena_alloc(&batch->arena, count * sizeof(ids[0]));
	unsigned i = 0;

	for (unsigned n = 0; n < array_length(texts); n++)
		texts[n] = arena_alloc(&batch->arena, count * sizeof(texts[n][0]));
	list_for_each (node, &batch->taken) {
		const struct report *report = container_of(node, struct report, node);

		ids[i] = report->device_id;
		texts[0][i] = report->told.firmware_version;
		texts[1][i] = report->told.firmware_type;
		texts[2][i] = report->told.hostname;
		texts[3][i] = report->told.ssid;
		texts[4][i] = mac_text(report, &batch->arena);
		texts[5][i] = report->told.settings;
		protocols[i] = report->told.protocol_version;
		signals[i++] = report->told.wifi_signal_dbm;
	}
	db_query_init(&batch->query, &batch->arena);
	statement_panel_told(&batch->query,
			     &(struct panel_told_parameters){
				 .ids = {ids, count},
				 .firmware_versions = {texts[0], count},
				 .firmware_types = {texts[1], count},
				 .protocol_versions = {protocols, count},
				 .hostnames = {texts[2], count},
				 .ssids = {texts[3], count},
				 .wifi_signals = {signals, count},
				 .macs = {texts[4], count},
				 .settings = {texts[5], count},
			     },
			     NULL);
	batch->query.done = on_written;
	batch->reports->under_way++;
	db_submit(batch->reports->db, &batch->query);
}

static void flush(struct panel_reports *reports)
{
	struct batch *batch;
	unsigned count = reports->count;

	if (count == 0)
		return;
	batch = memory_zalloc(sizeof(*batch));
	batch->reports = reports;
	list_init(&batch->taken);
	list_move_all(&batch->taken, &reports->waiting);
	reports->count = 0;
	ask(batch, count);
}

static void on_deadline(struct deadline *deadline)
{
	struct panel_reports *reports = container_of(deadline, struct panel_reports, deadline);

	if (db_is_up(reports->db))
		flush(reports);
	else
		deadline_set(reports->loop, &reports->deadline, AGAIN_MS);
}

static void copy_text(char *bytes, size_t size, struct str *text)
{
	require(text->length <= size);
	if (text->length)
		memcpy(bytes, text->data, text->length);
	text->data = bytes;
}

bool panel_reports_may_take(struct rate_table *rates, struct id device_id)
{
	static const struct rate_policy reports = {
	    .name = "reports",
	    .per_second = LIMIT_PANEL_REPORTS_PER_S,
	    .burst = LIMIT_PANEL_REPORTS_BURST,
	};

	return rate_take_some(rates, &reports, device_id, 1, clock_monotonic_us()) == 1;
}

void panel_reports_take(struct panel_reports *reports, struct id device_id,
			const struct panel_report *told)
{
	struct report *before = find(&reports->waiting, device_id);
	struct report *report;

	if (panel_report_is_empty(told))
		return;
	if (before) {
		list_remove(&before->node);
		free(before);
		reports->count--;
	}
	report = memory_zalloc(sizeof(*report));
	report->device_id = device_id;
	report->told = *told;
	copy_text(report->texts[0], PANEL_TEXT_BYTES_MAX, &report->told.firmware_version);
	copy_text(report->texts[1], PANEL_TEXT_BYTES_MAX, &report->told.firmware_type);
	copy_text(report->texts[2], PANEL_TEXT_BYTES_MAX, &report->told.hostname);
	copy_text(report->texts[3], PANEL_TEXT_BYTES_MAX, &report->told.ssid);
	copy_text(report->settings, FIRMWARE_SETTINGS_BYTES_MAX, &report->told.settings);
	report->has_mac = panel_report_mac(told, report->mac);
	report->told.mac_address = (struct str){0};
	if (!add(reports, report, WRITE_MS))
		free(report);
}

void panel_reports_init(struct panel_reports *reports)
{
	list_init(&reports->waiting);
	deadline_init(&reports->deadline, on_deadline);
}

void panel_reports_drain(struct panel_reports *reports)
{
	reports->is_draining = true;
	deadline_clear(reports->loop, &reports->deadline);
	flush(reports);
}

void panel_reports_finish(struct panel_reports *reports)
{
	require(reports->under_way == 0);
	deadline_clear(reports->loop, &reports->deadline);
	free_all(&reports->waiting);
}
