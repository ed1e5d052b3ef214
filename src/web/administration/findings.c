#include "findings.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "record/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum {
	DISK_SHORT_PART = 10,
	BACKUP_OLD_DAYS = 2,
	CERTIFICATE_SHORT_DAYS = 14,
	CLOCK_WRONG_S = 5,
};

#define DAY_US (INT64_C(24) * 3600 * 1000 * 1000)

struct findings {
	const struct findings_source *source;
	struct arena *arena;
	struct buffer json;
};

/* Adds a finding. about: its kind. */
static void add(struct findings *findings, const char *about, struct str problem,
		const char *remedy)
{
	struct buffer *json = &findings->json;

	buffer_append_str(json, buffer_length(json) > 1 ? STR(",{\"about\":") : STR("{\"about\":"));
	json_write_str(json, str_from(about));
	buffer_append_str(json, STR(",\"problem\":"));
	json_write_str(json, problem);
	buffer_append_str(json, STR(",\"remedy\":"));
	json_write_str(json, str_from(remedy));
	buffer_append_char(json, '}');
}

/* "1 webhook fails", "2 webhooks fail". */
static void add_counted(struct findings *findings, const char *about, int64_t count,
			const char *one, const char *many, const char *remedy)
{
	if (count > 0)
		add(findings, about,
		    arena_printf(findings->arena, "%lld %s", (long long)count,
				 count == 1 ? one : many),
		    remedy);
}

static int64_t gauge(const struct findings *findings, enum metric metric)
{
	return metric_total(findings->source->sums, metric, 0);
}

static void look_at_disk(struct findings *findings)
{
	int64_t all = gauge(findings, METRIC_DISK_BYTES),
		left = gauge(findings, METRIC_DISK_FREE_BYTES);

	if (findings->source->storage_problem.data)
		add(findings, "disk", findings->source->storage_problem,
		    "Delete files that are not displayd's, or give the disk more room.");
	else if (all > 0 && left < all / DISK_SHORT_PART)
		add(findings, "disk",
		    arena_printf(findings->arena, "Only %lld MB of the disk are free",
				 (long long)left / (1000 * 1000)),
		    "Make room before pictures are refused: delete files that are not displayd's, "
		    "or "
		    "give the disk more room.");
}

static void look_at_backup(struct findings *findings)
{
	int64_t made_us = findings->source->database->backed_up_at;
	int64_t days = (findings->source->now_us - made_us) / DAY_US;

	if (made_us == 0)
		add(findings, "backup", STR("No backup was made yet"),
		    "Download one under Backups, and let displayd-backup.timer make one each "
		    "night.");
	else if (days >= BACKUP_OLD_DAYS)
		add(findings, "backup",
		    arena_printf(findings->arena, "The last backup is %lld days old",
				 (long long)days),
		    "Download one under Backups, and check the program that makes them each "
		    "night.");
}

static void look_at_certificate(struct findings *findings)
{
	int64_t ends_us = gauge(findings, METRIC_CERTIFICATE_ENDS);
	int64_t left_us = ends_us - findings->source->now_us;
	static const char remedy[] = "Renew it, and let the renewal program copy it to displayd: "
				     "browsers and panels refuse an "
				     "ended one.";

	if (ends_us == 0)
		return;
	if (left_us < 0)
		add(findings, "certificate", STR("The TLS certificate has ended"), remedy);
	else if (left_us < CERTIFICATE_SHORT_DAYS * DAY_US)
		add(findings, "certificate",
		    arena_printf(findings->arena, "The TLS certificate ends in %lld days",
				 (long long)(left_us / DAY_US)),
		    remedy);
}

static void look_at_clock(struct findings *findings)
{
	int64_t ahead_s = llround((double)findings->source->clock_ahead_us / 1e6);

	if (ahead_s < CLOCK_WRONG_S && ahead_s > -CLOCK_WRONG_S)
		return;
	add(findings, "clock",
	    arena_printf(findings->arena, "This machine's clock is %lld seconds %s the database's",
			 (long long)llabs(ahead_s), ahead_s < 0 ? "behind" : "ahead of"),
	    "Let a program such as chrony or systemd-timesyncd set the clocks of both: plans and "
	    "apps follow the clock of the machine that has the panel.");
}

static void look_at_work(struct findings *findings)
{
	const struct findings_source *source = findings->source;

	add_counted(findings, "worker", source->workers_away, "worker does not answer",
		    "workers do not answer",
		    "displayd replaces it within seconds. If this stays, read the log.");
	add_counted(findings, "database", source->workers_without_database,
		    "worker does not reach PostgreSQL", "workers do not reach PostgreSQL",
		    "Check that PostgreSQL runs and accepts connections; the log has the reason.");
	if (source->rendering_problem.data)
		add(findings, "rendering", source->rendering_problem,
		    "Pictures stay as they are meanwhile. Read the log, or give the server more "
		    "processors.");
}

static void look_at_rows(struct findings *findings)
{
	const struct instance_database_row *row = findings->source->database;

	add_counted(
	    findings, "webhook", row->webhooks_failing, "webhook fails", "webhooks fail",
	    "Its owner finds the reason under Webhooks. After three days it is switched off.");
	add_counted(findings, "collection", row->collections_failed, "collection was not fetched",
		    "collections were not fetched",
		    "Apps keep their last version. The collection says why; fetch it again.");
	add_counted(findings, "collection", row->collections_held,
		    "collection has updates that wait", "collections have updates that wait",
		    "They reach further than before. Look at them, then accept them.");
	add_counted(findings, "firmware", row->firmware_failed, "fetch of firmware failed",
		    "fetches of firmware failed", "Firmware says why; fetch it again.");
}

struct str findings_write(const struct findings_source *source, struct arena *arena)
{
	struct findings findings = {.source = source, .arena = arena};
	struct str text;

	buffer_append_char(&findings.json, '[');
	look_at_work(&findings);
	look_at_disk(&findings);
	look_at_certificate(&findings);
	look_at_clock(&findings);
	look_at_backup(&findings);
	look_at_rows(&findings);
	buffer_append_char(&findings.json, ']');
	text = arena_copy(arena, buffer_view(&findings.json));
	buffer_finish(&findings.json);
	return text;
}
