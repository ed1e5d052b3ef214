#include "definitions.h"
#include "base/memory.h"

/* Bounds from an answer from memory to a request near its time limit. */
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
	    .help = "Answered requests. Status 499: the client left before.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_ROUTE, METRIC_BY_STATUS},
	},
    [METRIC_HTTP_DURATION] =
	{
	    .name = "displayd_http_request_duration_seconds",
	    .help = "Time from a request's first byte to its answer's last. Event streams and "
		    "WebSockets count until they begin.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_ROUTE},
	    .buckets = &durations,
	},
    [METRIC_HTTP_IN_FLIGHT] =
	{
	    .name = "displayd_http_requests_in_flight",
	    .help = "Requests not yet answered.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_HTTP_CONNECTIONS] =
	{
	    .name = "displayd_http_connections",
	    .help = "Open connections.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_CONNECTION},
	},
    [METRIC_HTTP_ACCEPTED] =
	{
	    .name = "displayd_http_connections_accepted_total",
	    .help = "Accepted connections.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_HTTP_REFUSED] =
	{
	    .name = "displayd_http_connections_refused_total",
	    .help = "Connections closed at once: too many of the address, not a trusted proxy, or "
		    "no free descriptor.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_REFUSED_CONNECTION},
	},
    [METRIC_TLS_HANDSHAKES] =
	{
	    .name = "displayd_tls_handshakes_total",
	    .help = "Completed TLS handshakes. Resumed: by a session ticket.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_TLS_HANDSHAKE, METRIC_BY_TLS_VERSION},
	},
    [METRIC_TLS_DURATION] =
	{
	    .name = "displayd_tls_handshake_duration_seconds",
	    .help = "Time from a handshake's first byte to its end, the client's time included.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_TLS_HANDSHAKE},
	    .buckets = &durations,
	},
    [METRIC_TLS_FAILED] =
	{
	    .name = "displayd_tls_handshakes_failed_total",
	    .help = "Failed TLS handshakes: too many waiting, invalid bytes, time-out, or the "
		    "client left. Connections without a byte do not count.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_TLS_FAILURE},
	},
    [METRIC_TLS_TICKET_KEYS] =
	{
	    .name = "displayd_tls_ticket_keys_total",
	    .help = "Ticket keys made: at the start, then every four hours.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_UNAUTHENTICATED] =
	{
	    .name = "displayd_authentication_failures_total",
	    .help = "Requests with a missing or wrong key, session or token.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_ACCESS},
	},
    [METRIC_RATE_LIMITED] =
	{
	    .name = "displayd_rate_limited_total",
	    .help = "Requests refused by a rate limit.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LIMIT},
	},
    [METRIC_PANELS] =
	{
	    .name = "displayd_panels_in_memory",
	    .help = "Panels in workers' memory; a panel in several workers counts several times.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_PANELS_CONNECTED] =
	{
	    .name = "displayd_panels_connected",
	    .help = "Panels with a WebSocket, or with a poll within the last minute.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_PANEL},
	},
    [METRIC_PANEL_LINKS] =
	{
	    .name = "displayd_panel_links_total",
	    .help = "WebSockets opened by panels.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_EVENT_STREAMS] =
	{
	    .name = "displayd_event_streams",
	    .help = "Open streams of events by API key.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_MQTT_CONNECTIONS] =
	{
	    .name = "displayd_mqtt_connections",
	    .help = "Connections of accounts to MQTT brokers by state.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_MQTT_STATE},
	},
    [METRIC_MQTT_MESSAGES] =
	{
	    .name = "displayd_mqtt_messages_total",
	    .help = "Messages from and to MQTT brokers, and commands that were dropped.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_MQTT_MESSAGE},
	},
    [METRIC_PICTURES_SENT] =
	{
	    .name = "displayd_panel_pictures_sent_total",
	    .help = "Pictures sent to panels.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_PANEL},
	},
    [METRIC_PICTURE_BYTES] =
	{
	    .name = "displayd_panel_picture_bytes",
	    .help = "Memory of panels' pictures.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_PUSHES] =
	{
	    .name = "displayd_pushes_total",
	    .help = "Pushes by result.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_PUSH_RESULT},
	},
    [METRIC_PUSH_TO_PANEL] =
	{
	    .name = "displayd_push_to_panel_seconds",
	    .help = "Time from storing a push until it was sent over a WebSocket, and until the "
		    "panel reported that it displays it. If another worker sends it, by the clocks "
		    "of machine and database.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_PUSH_STAGE},
	    .buckets = &durations,
	},
    [METRIC_IMAGE_CONVERSION] =
	{
	    .name = "displayd_image_conversion_seconds",
	    .help = "CPU time to convert a pushed image.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_IMAGE},
	    .buckets = &durations,
	},
    [METRIC_LANE_JOBS] =
	{
	    .name = "displayd_lane_jobs",
	    .help = "Jobs of worker threads and render queues.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_LANE, METRIC_BY_JOB_STATE},
	},
    [METRIC_LANE_WAIT] =
	{
	    .name = "displayd_lane_wait_seconds",
	    .help = "Time that jobs waited for their first turn.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_LANE},
	    .buckets = &durations,
	},
    [METRIC_LANE_REFUSED] =
	{
	    .name = "displayd_lane_refused_total",
	    .help = "Refused jobs: full queue, account's share used up, or too long a wait.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LANE, METRIC_BY_JOB_REFUSAL},
	},
    [METRIC_DATABASE_UP] =
	{
	    .name = "displayd_database_up",
	    .help = "Workers connected to the database for reads and writes.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_DATABASE_CONNECTIONS] =
	{
	    .name = "displayd_database_connections",
	    .help = "Open database connections.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_DATABASE_ROLE},
	},
    [METRIC_DATABASE_CONNECTS] =
	{
	    .name = "displayd_database_connects_total",
	    .help = "Database connections made.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_DATABASE_ROLE},
	},
    [METRIC_DATABASE_LOSSES] =
	{
	    .name = "displayd_database_losses_total",
	    .help = "Database connections lost, and failed attempts.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_DATABASE_ROLE},
	},
    [METRIC_STATEMENT_DURATION] =
	{
	    .name = "displayd_database_statement_seconds",
	    .help = "Time from sending a statement to reading its result, earlier ones on the "
		    "connection included.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_STATEMENT},
	    .buckets = &durations,
	},
    [METRIC_DATABASE_FAILURES] =
	{
	    .name = "displayd_database_failures_total",
	    .help = "Statements not executed: refused by a rule, database unavailable or busy, "
		    "failed, or its disk full.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_DATABASE_FAILURE},
	},
    [METRIC_DATABASE_QUERIES] =
	{
	    .name = "displayd_database_queries",
	    .help = "Statements waiting to be sent or for a locked row, and those sent and not yet "
		    "answered. Without hints.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_QUERY_STATE},
	},
    [METRIC_DISK_REFUSES_PICTURES] =
	{
	    .name = "displayd_disk_refuses_pictures",
	    .help = "1 while the private database's disk is too full for pictures.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_DATABASE_BYTES] =
	{
	    .name = "displayd_database_size_bytes",
	    .help = "Size of the database, read once a minute.",
	    .kind = METRIC_GAUGE,
	    .is_largest = true,
	},
    [METRIC_DATABASE_BACKED_UP] =
	{
	    .name = "displayd_last_backup_timestamp_seconds",
	    .help = "Unix time of the last displayctl backup; 0: never. Read once a minute.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	    .is_largest = true,
	},
    [METRIC_DISK_BYTES] =
	{
	    .name = "displayd_disk_size_bytes",
	    .help = "Size of the private PostgreSQL's file system; 0: none.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_DISK_FREE_BYTES] =
	{
	    .name = "displayd_disk_free_bytes",
	    .help = "Free space of the private PostgreSQL's file system.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_CERTIFICATE_ENDS] =
	{
	    .name = "displayd_tls_certificate_end_timestamp_seconds",
	    .help = "Unix time at which the first certificate in use ends; 0: none.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	},
    [METRIC_HINTS_SENT] =
	{
	    .name = "displayd_hints_sent_total",
	    .help = "Change hints sent to other workers and instances.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_HINTS_DROPPED] =
	{
	    .name = "displayd_hints_dropped_total",
	    .help = "Change hints dropped: too many waiting, or no connection.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_HINTS_RECEIVED] =
	{
	    .name = "displayd_hints_received_total",
	    .help = "Change hints received, a worker's own included.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_HINT},
	},
    [METRIC_HINT_DELAY] =
	{
	    .name = "displayd_hint_delay_seconds",
	    .help = "Time from a notification's oldest hint until the database delivered it.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .buckets = &durations,
	},
    [METRIC_RENDERS] =
	{
	    .name = "displayd_renders_total",
	    .help = "Runs of apps' scripts, by result.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LANGUAGE, METRIC_BY_RENDER_RESULT},
	},
    [METRIC_RENDER_DURATION] =
	{
	    .name = "displayd_render_duration_seconds",
	    .help = "Run time of a script, without waiting and process start.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_LANGUAGE},
	    .buckets = &durations,
	},
    [METRIC_RENDERS_LATE] =
	{
	    .name = "displayd_renders_late_total",
	    .help = "Pictures of apps that were stored 10 s or more after their turn began.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_RENDER_LATENESS] =
	{
	    .name = "displayd_render_lateness_seconds",
	    .help = "Longest time since a turn began whose picture is not rendered yet.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	    .is_largest = true,
	},
    [METRIC_RENDER_FETCHES] =
	{
	    .name = "displayd_render_fetches_total",
	    .help = "Network requests of apps: answered, or refused because too many wait or there "
		    "is no network.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_FETCH_RESULT},
	},
    [METRIC_WEBHOOK_POSTS] =
	{
	    .name = "displayd_webhook_posts_total",
	    .help = "Messages to webhooks: delivered, or failed, which are tried again.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_HOOK_RESULT},
	},
    [METRIC_WEBHOOK_EVENTS] =
	{
	    .name = "displayd_webhook_events_total",
	    .help = "Events that were delivered to webhooks.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_WEBHOOKS_WAITING] =
	{
	    .name = "displayd_webhooks_waiting",
	    .help = "Webhooks to which events are still to be sent, counted up to 100.",
	    .kind = METRIC_GAUGE,
	},
    [METRIC_LOOP_TURN] =
	{
	    .name = "displayd_loop_turn_seconds",
	    .help = "Time of each turn of a worker's loop, which delays everything else. Measured "
		    "in milliseconds.",
	    .kind = METRIC_HISTOGRAM,
	    .unit = METRIC_MICROSECONDS,
	    .buckets = &turns,
	},
    [METRIC_LOOP_LONGEST] =
	{
	    .name = "displayd_loop_longest_turn_seconds",
	    .help = "Longest turn of any worker in the last ten seconds.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	    .is_largest = true,
	},
    [METRIC_LOG_LINES] =
	{
	    .name = "displayd_log_lines_total",
	    .help = "Log lines.",
	    .kind = METRIC_COUNTER,
	    .by = {METRIC_BY_LOG_LEVEL},
	},
    [METRIC_LOG_LINES_LOST] =
	{
	    .name = "displayd_log_lines_lost_total",
	    .help = "Log lines dropped because their reader was too slow.",
	    .kind = METRIC_COUNTER,
	},
    [METRIC_CHILDREN_STARTED] =
	{
	    .name = "displayd_processes_started_total",
	    .help = "Processes started by the supervisor.",
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
	    .help = "1, with displayd's version.",
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
	    .help = "Limit of open descriptors.",
	    .kind = METRIC_GAUGE,
	    .by = {METRIC_BY_PROCESS},
	},
    [METRIC_PROCESS_START] =
	{
	    .name = "process_start_time_seconds",
	    .help = "Unix time at which the process started.",
	    .kind = METRIC_GAUGE,
	    .unit = METRIC_MICROSECONDS,
	    .by = {METRIC_BY_PROCESS},
	},
};
