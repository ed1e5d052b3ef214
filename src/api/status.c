#include "base/clock.h"
#include "db/db.h"
#include "domain/mqtt.h"
#include "endpoints.h"
#include "metric/errors.h"
#include "record/json.h"
#include "record/record.h"
#include "render/health.h"

#include <stdlib.h>

/* GET /status - status of this instance, for displayctl status: some metrics in JSON, and the last
 * errors. Only on the operator's listeners. */

enum { SLOWEST = 10, NEARLY_ALL = 990 /* permille */ };

struct worker_status {
	int64_t number; /* from 1 */
	bool is_alive;
	int64_t started_at_us;
	int64_t requests; /* under way */
	int64_t connections;
	int64_t websockets;
	int64_t panels;
	int64_t linked_panels;
	bool is_database_up;
	int64_t lag_us; /* the longest turn of its loop in the last ten seconds */
	int64_t resident_bytes;
	int64_t cpu_us;
	int64_t descriptors;
};

static const struct record_field worker_fields[] = {
    RECORD_INT(struct worker_status, number, .name = "number"),
    RECORD_BOOL(struct worker_status, is_alive, .name = "isAlive"),
    RECORD_TIMESTAMP(struct worker_status, started_at_us, .name = "startedAt", .nullable = true),
    RECORD_INT(struct worker_status, requests, .name = "requests"),
    RECORD_INT(struct worker_status, connections, .name = "connections"),
    RECORD_INT(struct worker_status, websockets, .name = "websockets"),
    RECORD_INT(struct worker_status, panels, .name = "panels"),
    RECORD_INT(struct worker_status, linked_panels, .name = "connectedPanels"),
    RECORD_BOOL(struct worker_status, is_database_up, .name = "isDatabaseUp"),
    RECORD_INT(struct worker_status, lag_us, .name = "lagUs"),
    RECORD_INT(struct worker_status, resident_bytes, .name = "residentBytes"),
    RECORD_INT(struct worker_status, cpu_us, .name = "cpuUs"),
    RECORD_INT(struct worker_status, descriptors, .name = "descriptors"),
};
static const struct record worker_record = RECORD(struct worker_status, worker_fields);

struct lane_status {
	struct str lane;
	int64_t waiting;
	int64_t running;
	int64_t done;
	int64_t refused;
};

static const struct record_field lane_fields[] = {
    RECORD_STR(struct lane_status, lane, .name = "lane"),
    RECORD_INT(struct lane_status, waiting, .name = "waiting"),
    RECORD_INT(struct lane_status, running, .name = "running"),
    RECORD_INT(struct lane_status, done, .name = "begun"),
    RECORD_INT(struct lane_status, refused, .name = "refused"),
};
static const struct record lane_record = RECORD(struct lane_status, lane_fields);

struct route_status {
	struct str method;
	struct str route;
	int64_t requests;
	int64_t mean_us;
	int64_t most_us; /* upper bound of 99 of 100 requests */
};

static const struct record_field route_fields[] = {
    RECORD_STR(struct route_status, method, .name = "method"),
    RECORD_STR(struct route_status, route, .name = "route"),
    RECORD_INT(struct route_status, requests, .name = "requests"),
    RECORD_INT(struct route_status, mean_us, .name = "meanUs"),
    RECORD_INT(struct route_status, most_us, .name = "p99Us"),
};
static const struct record route_record = RECORD(struct route_status, route_fields);

static void write_workers(const struct metric_reader *reader, const struct metric_sums *sums,
			  struct buffer *json)
{
	bool is_first = true;

	for (int i = 0; i < (int)reader->workers; i++) {
		unsigned process = metric_process(i);
		struct worker_status worker = {
		    .number = i + 1,
		    .is_alive = metric_is_alive(reader, i),
		    .started_at_us = metric_total(sums, METRIC_PROCESS_START, process),
		    .requests = metric_of_process(reader, i, METRIC_HTTP_IN_FLIGHT, 0),
		    .connections = metric_of_process(reader, i, METRIC_HTTP_CONNECTIONS,
						     METRIC_CONNECTION_HTTP),
		    .websockets = metric_of_process(reader, i, METRIC_HTTP_CONNECTIONS,
						    METRIC_CONNECTION_WEBSOCKET),
		    .panels = metric_of_process(reader, i, METRIC_PANELS, 0),
		    .linked_panels =
			metric_of_process(reader, i, METRIC_PANELS_CONNECTED, METRIC_PANEL_LINK),
		    .is_database_up = metric_of_process(reader, i, METRIC_DATABASE_UP, 0) > 0,
		    .lag_us = metric_of_process(reader, i, METRIC_LOOP_LONGEST, 0),
		    .resident_bytes = metric_total(sums, METRIC_PROCESS_RESIDENT, process),
		    .cpu_us = metric_total(sums, METRIC_PROCESS_CPU, process),
		    .descriptors = metric_total(sums, METRIC_PROCESS_OPEN_FDS, process),
		};

		/* Slot that the next worker may take. */
		if (!worker.is_alive && worker.started_at_us == 0)
			continue;
		if (!is_first)
			buffer_append_char(json, ',');
		is_first = false;
		record_write_json(&worker_record, &worker, json);
	}
}

static void write_lanes(const struct metric_sums *sums, struct buffer *json)
{
	for (unsigned i = 0; i < METRIC_LANES; i++) {
		struct lane_status lane = {
		    .lane = str_from(metric_value_text(METRIC_LANE_WAIT, i, 0)),
		    .waiting = metric_total(sums, METRIC_LANE_JOBS,
					    metric_pair(METRIC_LANE_JOBS, i, METRIC_JOB_WAITING)),
		    .running = metric_total(sums, METRIC_LANE_JOBS,
					    metric_pair(METRIC_LANE_JOBS, i, METRIC_JOB_RUNNING)),
		    .done = metric_observations(sums, METRIC_LANE_WAIT, i),
		};

		for (unsigned reason = METRIC_JOB_QUEUE_FULL; reason <= METRIC_JOB_TOO_LATE;
		     reason++)
			lane.refused += metric_total(sums, METRIC_LANE_REFUSED,
						     metric_pair(METRIC_LANE_REFUSED, i, reason));
		if (i > 0)
			buffer_append_char(json, ',');
		record_write_json(&lane_record, &lane, json);
	}
}

static int compare_routes(const void *a, const void *b)
{
	const struct route_status *x = a, *y = b;

	return (x->most_us < y->most_us) - (x->most_us > y->most_us);
}

static void write_slowest(const struct metric_sums *sums, struct arena *arena, struct buffer *json)
{
	unsigned value_count = metric_values(METRIC_HTTP_DURATION), count = 0;
	struct route_status *routes = arena_alloc(arena, value_count * sizeof(*routes));

	for (unsigned i = 0; i < value_count; i++) {
		int64_t requests = metric_observations(sums, METRIC_HTTP_DURATION, i);

		if (requests == 0)
			continue;
		routes[count++] = (struct route_status){
		    .route = str_from(metric_value_text(METRIC_HTTP_DURATION, i, 0)),
		    .method = str_from(metric_value_text(METRIC_HTTP_DURATION, i, 1)),
		    .requests = requests,
		    .mean_us = metric_sum(sums, METRIC_HTTP_DURATION, i) / requests,
		    .most_us = metric_quantile(sums, METRIC_HTTP_DURATION, i, NEARLY_ALL),
		};
	}
	qsort(routes, count, sizeof(*routes), compare_routes);
	for (unsigned i = 0; i < count && i < SLOWEST; i++) {
		if (i > 0)
			buffer_append_char(json, ',');
		record_write_json(&route_record, &routes[i], json);
	}
}

static int64_t sum(const struct metric_sums *sums, enum metric metric)
{
	int64_t total = 0;

	for (unsigned i = 0; i < metric_values(metric); i++)
		total += metric_total(sums, metric, i);
	return total;
}

static int64_t sum_observations(const struct metric_sums *sums, enum metric metric)
{
	int64_t total = 0;

	for (unsigned i = 0; i < metric_values(metric); i++)
		total += metric_observations(sums, metric, i);
	return total;
}

static int64_t server_errors(const struct metric_sums *sums)
{
	int64_t total = 0;

	for (unsigned i = 0; i < metric_values(METRIC_HTTP_REQUESTS); i++) {
		if (metric_observations(sums, METRIC_HTTP_DURATION, i) == 0)
			continue;
		for (int status = 500; status < 506 && metric_status(status); status++)
			total += metric_total(
			    sums, METRIC_HTTP_REQUESTS,
			    metric_pair(METRIC_HTTP_REQUESTS, i, metric_status(status)));
	}
	return total;
}

/* Writes the counters, which only grow: two readings give the rate. */
static void write_counters(const struct metric_sums *sums, struct buffer *json)
{
	const struct {
		const char *name;
		int64_t number;
	} counters[] = {
	    {"requests", sum_observations(sums, METRIC_HTTP_DURATION)},
	    {"serverErrors", server_errors(sums)},
	    {"unauthenticated", sum(sums, METRIC_UNAUTHENTICATED)},
	    {"rateLimited", sum(sums, METRIC_RATE_LIMITED)},
	    {"pushes", metric_total(sums, METRIC_PUSHES, METRIC_PUSH_STORED)},
	    {"pictures", sum(sums, METRIC_PICTURES_SENT)},
	    {"renders", sum_observations(sums, METRIC_RENDER_DURATION)},
	    {"rendersLate", metric_total(sums, METRIC_RENDERS_LATE, 0)},
	    {"statements", sum_observations(sums, METRIC_STATEMENT_DURATION)},
	    /* Excludes constraint errors: the client already got the reason. */
	    {"databaseFailures",
	     metric_total(sums, METRIC_DATABASE_FAILURES, METRIC_DATABASE_UNAVAILABLE) +
		 metric_total(sums, METRIC_DATABASE_FAILURES, METRIC_DATABASE_FAILED)},
	    {"databaseFull", metric_total(sums, METRIC_DATABASE_FAILURES, METRIC_DATABASE_FULL)},
	    {"logLinesLost", metric_total(sums, METRIC_LOG_LINES_LOST, 0)},
	    {"processesFailed", sum(sums, METRIC_CHILDREN_FAILED)},
	};

	for (size_t i = 0; i < array_length(counters); i++)
		buffer_printf(json, "%s\"%s\":%lld", i > 0 ? "," : "", counters[i].name,
			      (long long)counters[i].number);
}

static void write_error(void *context, struct str line)
{
	struct buffer *json = context;

	if (json->data[json->end - 1] != '[')
		buffer_append_char(json, ',');
	json_write_str(json, line);
}

/* null if there is none. */
static void write_time(const struct metric_sums *sums, enum metric metric, const char *name,
		       struct buffer *json)
{
	int64_t at_us = metric_total(sums, metric, 0);
	char text[TIMESTAMP_LENGTH + 1];

	buffer_printf(json, ",\"%s\":", name);
	if (at_us == 0) {
		buffer_append_str(json, STR("null"));
		return;
	}
	timestamp_format(at_us, text);
	json_write_str(json, str_from(text));
}

/* Writes connections of programs and to brokers. */
static void write_homes(const struct metric_sums *sums, unsigned workers, struct buffer *json)
{
	buffer_printf(json, "\"mqtt\":{\"connected\":%lld,\"failed\":%lld,\"limit\":%u},",
		      (long long)metric_total(sums, METRIC_MQTT_CONNECTIONS, METRIC_MQTT_CONNECTED),
		      (long long)metric_total(sums, METRIC_MQTT_CONNECTIONS, METRIC_MQTT_FAILED),
		      workers * mqtt_share_of_worker(workers));
	buffer_printf(json, "\"webhooks\":{\"waiting\":%lld,\"delivered\":%lld,\"failed\":%lld},",
		      (long long)metric_total(sums, METRIC_WEBHOOKS_WAITING, 0),
		      (long long)metric_total(sums, METRIC_WEBHOOK_POSTS, METRIC_HOOK_DELIVERED),
		      (long long)metric_total(sums, METRIC_WEBHOOK_POSTS, METRIC_HOOK_FAILED));
	buffer_printf(json, "\"eventStreams\":%lld,",
		      (long long)metric_total(sums, METRIC_EVENT_STREAMS, 0));
}

/* db: that of the answering worker; if it has no connection, it knows the reason. */
static void write_state(const struct metric_sums *sums, struct db *db, struct buffer *json)
{
	enum unavailable unavailable = db_is_up(db) ? UNAVAILABLE_NOT : db_unavailable(db);

	buffer_printf(json,
		      "\"database\":{\"workersUp\":%lld,\"connections\":%lld,\"waiting\":%lld,"
		      "\"sent\":%lld,\"away\":",
		      (long long)metric_total(sums, METRIC_DATABASE_UP, 0),
		      (long long)sum(sums, METRIC_DATABASE_CONNECTIONS),
		      (long long)metric_total(sums, METRIC_DATABASE_QUERIES, METRIC_QUERY_WAITING),
		      (long long)metric_total(sums, METRIC_DATABASE_QUERIES, METRIC_QUERY_SENT));
	json_write_str(
	    json, str_from(unavailable == UNAVAILABLE_NOT ? "" : unavailable_text(unavailable)));
	buffer_printf(json,
		      ",\"isFull\":%s,\"bytes\":%lld,\"diskBytes\":%lld,\"diskFreeBytes\":%lld",
		      storage_has_no_room(db_storage(db)) ? "true" : "false",
		      (long long)metric_total(sums, METRIC_DATABASE_BYTES, 0),
		      (long long)metric_total(sums, METRIC_DISK_BYTES, 0),
		      (long long)metric_total(sums, METRIC_DISK_FREE_BYTES, 0));
	write_time(sums, METRIC_DATABASE_BACKED_UP, "lastBackupAt", json);
	buffer_append_char(json, '}');
	write_time(sums, METRIC_CERTIFICATE_ENDS, "certificateEndsAt", json);
	buffer_printf(json, ",\"panels\":{\"inMemory\":%lld,\"links\":%lld,\"polling\":%lld},",
		      (long long)metric_total(sums, METRIC_PANELS, 0),
		      (long long)metric_total(sums, METRIC_PANELS_CONNECTED, METRIC_PANEL_LINK),
		      (long long)metric_total(sums, METRIC_PANELS_CONNECTED, METRIC_PANEL_POLLING));
}

static void write_status(const struct metric_reader *reader, const struct api_service *service,
			 struct arena *arena, struct buffer *json)
{
	struct metric_sums own, *sums = &own;
	const char *problem = render_health_any_problem(service->render_health);
	char started[TIMESTAMP_LENGTH + 1];

	metric_sums_init(sums, reader);
	timestamp_format(
	    metric_total(sums, METRIC_PROCESS_START, metric_process(METRIC_SUPERVISOR)), started);
	buffer_printf(
	    json, "{\"version\":\"%s\",\"startedAt\":\"%s\",\"configuredWorkers\":%u,\"workers\":[",
	    metric_value_text(METRIC_BUILD, 0, 0), started, service->workers);
	write_workers(reader, sums, json);
	buffer_append_str(json, STR("],"));
	write_state(sums, service->service.db, json);
	write_homes(sums, service->workers, json);
	buffer_append_str(json, STR("\"renderingProblem\":"));
	json_write_str(json, str_from(problem ? problem : ""));
	buffer_printf(json, ",\"renderLatenessSeconds\":%lld",
		      (long long)metric_total(sums, METRIC_RENDER_LATENESS, 0) / (1000 * 1000));
	buffer_append_str(json, STR(",\"storageProblem\":"));
	json_write_str(json, storage_takes_pictures(db_storage(service->service.db))
				 ? STR("")
				 : STR(STORAGE_PICTURE_PROBLEM));
	buffer_append_char(json, ',');
	buffer_append_str(json, STR("\"counters\":{"));
	write_counters(sums, json);
	buffer_append_str(json, STR("},\"queues\":["));
	write_lanes(sums, json);
	buffer_append_str(json, STR("],\"slowest\":["));
	write_slowest(sums, arena, json);
	buffer_append_str(json, STR("],\"errors\":["));
	errors_read(reader->shared, write_error, json);
	buffer_append_str(json, STR("]}\n"));
}

static struct step_result status_begin(struct task *task)
{
	struct metric_reader reader = api_service(task)->metrics;
	struct buffer json = {0};
	struct str text;

	reader.now_ms = clock_monotonic_ms();
	write_status(&reader, api_service(task), task_arena(task), &json);
	text = arena_copy(task_arena(task), buffer_view(&json));
	buffer_finish(&json);
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	return task_reply(task, 200, STR("application/json"), text);
}

const struct endpoint endpoint_status = {
    .name = "status",
    .handler = status_begin,
    .is_for_operator = true,
};
