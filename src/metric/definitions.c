#include "definitions.h"
#include "base/memory.h"

/* From what memory answers to what is about to be given up. */
static const uint64_t duration_bounds[] = {
    100,   250,	   500,	   1000,   2500,    5000,    10000,   25000,
    50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000,
};
static const struct metric_buckets durations = {array_length(duration_bounds), duration_bounds};

/* The clock of turns counts milliseconds. */
static const uint64_t turn_bounds[] = {2000,   5000,   10000,  20000,	50000,
				       100000, 200000, 500000, 1000000, 5000000};
static const struct metric_buckets turns = {array_length(turn_bounds), turn_bounds};

const struct metric_definition metric_definitions[METRIC_COUNT] = {
    [METRIC_HTTP_REQUESTS] =
	{
	    .name = "displayd_http_requests_total",
	    .help = "Requests that were answered, by route, method and status. Status 499: "
		    "the client left before.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_ROUTE, METRIC_BY_STATUS},
	},
    [METRIC_HTTP_DURATION] =
	{
	    .name = "displayd_http_request_duration_seconds",
	    .help = "From a request's first byte to the last one of its answer; streams of "
		    "events and WebSockets count until they begin.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_ROUTE},
	    .buckets = &durations,
	},
    [METRIC_HTTP_IN_FLIGHT] =
	{
	    .name = "displayd_http_requests_in_flight",
	    .help = "Requests at work.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_HTTP_CONNECTIONS] =
	{
	    .name = "displayd_http_connections",
	    .help = "Open connections: of HTTP, and WebSockets.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_CONNECTION},
	},
    [METRIC_HTTP_ACCEPTED] =
	{
	    .name = "displayd_http_connections_accepted_total",
	    .help = "Connections that were accepted.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_HTTP_REFUSED] =
	{
	    .name = "displayd_http_connections_refused_total",
	    .help = "Connections that were closed at once: their address has as many as it "
		    "may, they are no trusted proxy's, or no descriptor was left.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_REFUSED_CONNECTION},
	},
    [METRIC_TLS_HANDSHAKES] =
	{
	    .name = "displayd_tls_handshakes_total",
	    .help = "Handshakes of TLS that were done: full ones, and those that resumed a "
		    "session by its ticket.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_TLS_HANDSHAKE, METRIC_BY_TLS_VERSION},
	},
    [METRIC_TLS_DURATION] =
	{
	    .name = "displayd_tls_handshake_duration_seconds",
	    .help = "From the first byte of a handshake until it was done, with the client's "
		    "own time.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_TLS_HANDSHAKE},
	    .buckets = &durations,
	},
    [METRIC_TLS_FAILED] =
	{
	    .name = "displayd_tls_handshakes_failed_total",
	    .help = "Handshakes of TLS that came to nothing: too many were waiting, what came "
		    "was none that is understood, the client took too long, or it left. A "
		    "connection on which no byte came has begun none.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_TLS_FAILURE},
	},
    [METRIC_TLS_TICKET_KEYS] =
	{
	    .name = "displayd_tls_ticket_keys_total",
	    .help = "Keys for tickets that were made: the first one, and one every four hours.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_UNAUTHENTICATED] =
	{
	    .name = "displayd_authentication_failures_total",
	    .help = "Callers that showed no key, session or token, or a wrong one.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_ACCESS},
	},
    [METRIC_RATE_LIMITED] =
	{
	    .name = "displayd_rate_limited_total",
	    .help = "Requests that were refused because a limit was reached.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LIMIT},
	},
    [METRIC_PANELS] =
	{
	    .name = "displayd_panels_in_memory",
	    .help = "Panels that workers have in memory; one that several workers have counts "
		    "several times.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_PANELS_CONNECTED] =
	{
	    .name = "displayd_panels_connected",
	    .help = "Panels that are there: by a WebSocket, or by polls within the last "
		    "minute.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_PANEL},
	},
    [METRIC_PANEL_LINKS] =
	{
	    .name = "displayd_panel_links_total",
	    .help = "WebSockets that panels have made.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_PICTURES_SENT] =
	{
	    .name = "displayd_panel_pictures_sent_total",
	    .help = "Pictures that were handed to panels.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_PANEL},
	},
    [METRIC_PICTURE_BYTES] =
	{
	    .name = "displayd_panel_picture_bytes",
	    .help = "Memory of the pictures of panels.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_PUSHES] =
	{
	    .name = "displayd_pushes_total",
	    .help = "Pushes, by what came of them.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_PUSH_RESULT},
	},
    [METRIC_PUSH_TO_PANEL] =
	{
	    .name = "displayd_push_to_panel_seconds",
	    .help = "From the moment when a push was stored until it was sent to a panel with "
		    "a WebSocket, and until a panel has said that it shows it. Where another "
		    "worker sends it, by the clocks of this machine and of the database.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_PUSH_STAGE},
	    .buckets = &durations,
	},
    [METRIC_IMAGE_CONVERSION] =
	{
	    .name = "displayd_image_conversion_seconds",
	    .help = "CPU time of worker threads for a pushed image, by its format.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_IMAGE},
	    .buckets = &durations,
	},
    [METRIC_LANE_JOBS] =
	{
	    .name = "displayd_lane_jobs",
	    .help = "Jobs in the lanes of the worker threads, and in the queues of renders.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_LANE, METRIC_BY_JOB_STATE},
	},
    [METRIC_LANE_WAIT] =
	{
	    .name = "displayd_lane_wait_seconds",
	    .help = "How long jobs waited for their first turn.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_LANE},
	    .buckets = &durations,
	},
    [METRIC_LANE_REFUSED] =
	{
	    .name = "displayd_lane_refused_total",
	    .help = "Jobs that were refused: the queue was full, the account had its share of "
		    "it, or the wait would have been too long.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LANE, METRIC_BY_JOB_REFUSAL},
	},
    [METRIC_DATABASE_UP] =
	{
	    .name = "displayd_database_up",
	    .help = "Workers that have connections to the database for reads and writes.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_DATABASE_CONNECTIONS] =
	{
	    .name = "displayd_database_connections",
	    .help = "Connections to the database that are up.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_DATABASE_ROLE},
	},
    [METRIC_DATABASE_CONNECTS] =
	{
	    .name = "displayd_database_connects_total",
	    .help = "Connections to the database that were made.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_DATABASE_ROLE},
	},
    [METRIC_DATABASE_LOSSES] =
	{
	    .name = "displayd_database_losses_total",
	    .help = "Connections to the database that were lost, and attempts that failed.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_DATABASE_ROLE},
	},
    [METRIC_STATEMENT_DURATION] =
	{
	    .name = "displayd_database_statement_seconds",
	    .help = "From the moment when a statement was sent until its result was read, "
		    "that of those before it on the same connection included.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_STATEMENT},
	    .buckets = &durations,
	},
    [METRIC_DATABASE_FAILURES] =
	{
	    .name = "displayd_database_failures_total",
	    .help = "Statements that were not executed: refused by a rule as foreseen, with "
		    "no database or a busy one, failed, or without room on the database's disk.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_DATABASE_FAILURE},
	},
    [METRIC_DATABASE_QUERIES] =
	{
	    .name = "displayd_database_queries",
	    .help = "Statements that wait to be sent, or for a locked row, and those that are "
		    "sent and not yet answered (the depth of the pipelines). Without hints.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_QUERY_STATE},
	},
    [METRIC_DISK_REFUSES_PICTURES] =
	{
	    .name = "displayd_disk_refuses_pictures",
	    .help =
		"1 while so little is left on the disk of the private database that no pictures "
		"are taken.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_DATABASE_BYTES] =
	{
	    .name = "displayd_database_size_bytes",
	    .help = "Size of the database, looked at once a minute.",
	    .kind = METRIC_GAUGE,
	    .is_largest = true,
	},
    [METRIC_DATABASE_BACKED_UP] =
	{
	    .name = "displayd_last_backup_timestamp_seconds",
	    .help = "When displayctl backup was last done, in seconds since 1970; 0: never. Looked "
		    "at once a minute.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	    .is_largest = true,
	},
    [METRIC_DISK_BYTES] =
	{
	    .name = "displayd_disk_size_bytes",
	    .help = "Size of the file system that the private PostgreSQL is on; 0: there is none.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_DISK_FREE_BYTES] =
	{
	    .name = "displayd_disk_free_bytes",
	    .help = "Room that is left there for PostgreSQL.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_CERTIFICATE_ENDS] =
	{
	    .name = "displayd_tls_certificate_end_timestamp_seconds",
	    .help =
		"When the first of the certificates in use ends, in seconds since 1970; 0: there "
		"is none.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	},
    [METRIC_HINTS_SENT] =
	{
	    .name = "displayd_hints_sent_total",
	    .help = "Change hints that were sent to the other workers and instances.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_HINTS_DROPPED] =
	{
	    .name = "displayd_hints_dropped_total",
	    .help = "Change hints that were dropped because too many waited or their "
		    "connection was down.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_HINTS_RECEIVED] =
	{
	    .name = "displayd_hints_received_total",
	    .help = "Change hints that have come, a worker's own included.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_HINT},
	},
    [METRIC_HINT_DELAY] =
	{
	    .name = "displayd_hint_delay_seconds",
	    .help = "From the oldest hint of a notification until the database has handed it "
		    "to its listeners.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .buckets = &durations,
	},
    [METRIC_RENDERS] =
	{
	    .name = "displayd_renders_total",
	    .help = "Scripts of apps that were run, by what came of them.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LANGUAGE, METRIC_BY_RENDER_RESULT},
	},
    [METRIC_RENDER_DURATION] =
	{
	    .name = "displayd_render_duration_seconds",
	    .help = "How long a script ran, without its wait and the start of processes.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_LANGUAGE},
	    .buckets = &durations,
	},
    [METRIC_RENDER_FETCHES] =
	{
	    .name = "displayd_render_fetches_total",
	    .help = "Requests of apps to the network: answered, by whatever answer, or "
		    "refused because too many wait or there is no network.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_FETCH_RESULT},
	},
    [METRIC_LOOP_TURN] =
	{
	    .name = "displayd_loop_turn_seconds",
	    .help = "How long each turn of a worker's loop took: whatever comes meanwhile "
		    "waits as long (its lag). Measured in milliseconds.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .buckets = &turns,
	},
    [METRIC_LOOP_LONGEST] =
	{
	    .name = "displayd_loop_longest_turn_seconds",
	    .help = "The longest turn of the last ten seconds, of the worker that had it.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	    .is_largest = true,
	},
    [METRIC_LOG_LINES] =
	{
	    .name = "displayd_log_lines_total",
	    .help = "Lines of the log.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LOG_LEVEL},
	},
    [METRIC_LOG_LINES_LOST] =
	{
	    .name = "displayd_log_lines_lost_total",
	    .help = "Lines of the log that were dropped because their reader was too slow.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_CHILDREN_STARTED] =
	{
	    .name = "displayd_processes_started_total",
	    .help = "Processes that the supervisor has started.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_CHILD},
	},
    [METRIC_CHILDREN_FAILED] =
	{
	    .name = "displayd_processes_failed_total",
	    .help = "Processes that ended unexpectedly.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_CHILD},
	},
    [METRIC_BUILD] =
	{
	    .name = "displayd_build_info",
	    .help = "1, with the version of displayd.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_VERSION},
	},
    [METRIC_PROCESS_CPU] =
	{
	    .name = "process_cpu_seconds_total",
	    .help = "CPU time, user and system.",
	    .kind = METRIC_COUNTER,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_PROCESS},
	},
    [METRIC_PROCESS_RESIDENT] =
	{
	    .name = "process_resident_memory_bytes",
	    .help = "Resident memory.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_PROCESS},
	},
    [METRIC_PROCESS_VIRTUAL] =
	{
	    .name = "process_virtual_memory_bytes",
	    .help = "Virtual memory.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_PROCESS},
	},
    [METRIC_PROCESS_OPEN_FDS] =
	{
	    .name = "process_open_fds",
	    .help = "Open descriptors.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_PROCESS},
	},
    [METRIC_PROCESS_MAX_FDS] =
	{
	    .name = "process_max_fds",
	    .help = "The most descriptors that may be open.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_PROCESS},
	},
    [METRIC_PROCESS_START] =
	{
	    .name = "process_start_time_seconds",
	    .help = "When the process started, in seconds since 1970.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_PROCESS},
	},
};
