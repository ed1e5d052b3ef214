#include "base/clock.h"
#include "base/limits.h"
#include "db/storage.h"
#include "findings.h"
#include "metric/read.h"
#include "render/health.h"
#include "task/service.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "worker_status.h"

/* GET /web/admin/instance - status of this instance: its version, its database, its workers. PATCH
 * - opens or closes the addresses of --egress-allow to apps. */

/* Body of a PATCH. */
struct change {
	bool apps_reach_local;
};

struct instance {
	struct change change; /* first: the pre-handler checks read the request into it */
	struct instance_update_row changed;
	struct instance_database_row database;
	struct str version;
	struct str rendering_problem;
	struct str storage_problem;
	struct str workers;
	struct str findings;
	int64_t disk_bytes, disk_free_bytes; /* 0 and 0: not known */
	int64_t certificate_ends_us;	     /* 0: none */
};

static const struct record_field fields[] = {
    RECORD_STR(struct instance, version, .name = "version"),
    RECORD_STR(struct instance, database.version, .name = "databaseVersion"),
    RECORD_INT8(struct instance, database.bytes, .name = "databaseBytes"),
    RECORD_INT8(struct instance, database.connections, .name = "databaseConnections"),
    RECORD_INT8(struct instance, database.accounts, .name = "accounts"),
    RECORD_BOOL(struct instance, database.apps_reach_local, .name = "appsReachLocal"),
    RECORD_STR(struct instance, rendering_problem, .name = "renderingProblem", .nullable = true),
    RECORD_STR(struct instance, storage_problem, .name = "storageProblem", .nullable = true),
    RECORD_JSON(struct instance, workers, .name = "workers"),
    RECORD_JSON(struct instance, findings, .name = "findings"),
    RECORD_INT(struct instance, disk_bytes, .name = "diskBytes"),
    RECORD_INT(struct instance, disk_free_bytes, .name = "diskFreeBytes"),
    RECORD_TIMESTAMP(struct instance, database.backed_up_at, .name = "lastBackupAt",
		     .nullable = true),
    RECORD_TIMESTAMP(struct instance, certificate_ends_us, .name = "certificateEndsAt",
		     .nullable = true),
};
static const struct record instance_record = RECORD(struct instance, fields);

static const struct record_field change_fields[] = {
    RECORD_BOOL(struct change, apps_reach_local, .body = "appsReachLocal", .required = true),
};
static const struct record change_record = RECORD(struct change, change_fields);

static struct str write_workers(const struct worker_statuses *statuses, struct arena *arena)
{
	struct buffer json = {0};
	struct str text;

	buffer_append_char(&json, '[');
	for (unsigned i = 0; i < worker_statuses_count(statuses); i++) {
		struct worker_status signs;

		if (!worker_statuses_are_of_worker(statuses, i))
			continue;
		signs = worker_statuses_read(statuses, i);
		if (buffer_length(&json) > 1)
			buffer_append_char(&json, ',');
		record_write_json(&worker_status_record, &signs, &json);
	}
	buffer_append_char(&json, ']');
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

static void count_workers(const struct worker_statuses *statuses, struct findings_source *source)
{
	for (unsigned i = 0; i < worker_statuses_count(statuses); i++) {
		struct worker_status signs = worker_statuses_read(statuses, i);

		if (!worker_statuses_are_of_worker(statuses, i))
			continue;
		source->workers_away += !signs.is_alive;
		source->workers_without_database += signs.is_alive && !signs.is_database_up;
	}
}

/* Fills in what is not well, and what the metrics know. */
static void look_at_metrics(struct task *task, const struct metric_sums *sums)
{
	struct instance *instance = task_state(task);
	struct findings_source source = {
	    .database = &instance->database,
	    .sums = sums,
	    .rendering_problem = instance->rendering_problem,
	    .storage_problem = instance->storage_problem,
	    .now_us = clock_common_us(),
	    .clock_ahead_us = clock_wall_us() - clock_common_us(),
	};

	count_workers(web_service_of(task)->statuses, &source);
	instance->findings = findings_write(&source, task_arena(task));
	instance->disk_bytes = metric_total(sums, METRIC_DISK_BYTES, 0);
	instance->disk_free_bytes = metric_total(sums, METRIC_DISK_FREE_BYTES, 0);
	instance->certificate_ends_us = metric_total(sums, METRIC_CERTIFICATE_ENDS, 0);
}

static struct step_result instance_found(struct task *task)
{
	enum { LATE_S = 60 }; /* as in the alert */
	struct instance *instance = task_state(task);
	const struct worker_statuses *statuses = web_service_of(task)->statuses;
	const char *problem = render_health_any_problem(web_service_of(task)->api.render_health);
	struct metric_sums sums;
	int64_t late_s;

	metric_sums_init(&sums, &web_service_of(task)->api.metrics);
	late_s = metric_total(&sums, METRIC_RENDER_LATENESS, 0) / (1000 * 1000);
	instance->version = str_from(worker_statuses_version(statuses));
	if (problem)
		instance->rendering_problem = str_from(problem);
	else if (late_s >= LATE_S)
		instance->rendering_problem = arena_printf(
		    task_arena(task), "apps are rendered %lld s late: the processors are busy",
		    (long long)late_s);
	if (!storage_takes_pictures(db_storage(task_service(task)->db)))
		instance->storage_problem = STR(STORAGE_PICTURE_PROBLEM);
	instance->workers = write_workers(statuses, task_arena(task));
	look_at_metrics(task, &sums);
	return task_reply_record(task, 200, &instance_record, instance);
}

static struct step_result instance_get_begin(struct task *task)
{
	struct instance *instance = task_state(task);

	statement_instance_database(task_new_query(task), &instance->database);
	return task_query(task, instance_found);
}

static struct step_result changed(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_refuse(task);
	web_changed(task, (struct id){0}, "admin");
	return instance_get_begin(task);
}

static struct step_result change(struct task *task)
{
	struct instance *instance = task_state(task);

	statement_instance_update(task_new_query(task),
				  &(struct instance_update_parameters){
				      .apps_reach_local = instance->change.apps_reach_local,
				      .actor_id = task_account_id(task),
				      .address = web_address(task),
				      .session_id = web_session_id(task),
				  },
				  &instance->changed);
	return task_query(task, changed);
}

ENDPOINT_INSTANCE_GET(.handler = instance_get_begin, .state_size = sizeof(struct instance));
ENDPOINT_INSTANCE_UPDATE(.handler = change, .state_size = sizeof(struct instance));
