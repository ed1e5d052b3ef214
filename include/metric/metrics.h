/* All metrics of displayd by name, and the values of their labels. Each has its definition in
 * src/metric/definitions.c, in the same order.
 *
 * No label has values that a caller chooses: all are enumerations of the program, so that the
 * number of series cannot grow. */
#pragma once

/* Values that a label distinguishes. */
enum metric_by {
	METRIC_BY_NOTHING,
	METRIC_BY_ROUTE, /* two labels, route and method; named at the start: metric_name_route() */
	METRIC_BY_STATUS,    /* see metric_status() */
	METRIC_BY_STATEMENT, /* named at the start: metric_name_statement() */
	METRIC_BY_CONNECTION,
	METRIC_BY_REFUSED_CONNECTION,
	METRIC_BY_TLS_HANDSHAKE,
	METRIC_BY_TLS_VERSION,
	METRIC_BY_TLS_FAILURE,
	METRIC_BY_ACCESS,
	METRIC_BY_LIMIT,
	METRIC_BY_PANEL,
	METRIC_BY_PUSH_RESULT,
	METRIC_BY_PUSH_STAGE,
	METRIC_BY_IMAGE,
	METRIC_BY_LANE,
	METRIC_BY_JOB_STATE,
	METRIC_BY_JOB_REFUSAL,
	METRIC_BY_DATABASE_ROLE,
	METRIC_BY_DATABASE_FAILURE,
	METRIC_BY_QUERY_STATE,
	METRIC_BY_HINT,
	METRIC_BY_MQTT_STATE,
	METRIC_BY_MQTT_MESSAGE,
	METRIC_BY_LANGUAGE,
	METRIC_BY_RENDER_RESULT,
	METRIC_BY_FETCH_RESULT,
	METRIC_BY_HOOK_RESULT,
	METRIC_BY_LOG_LEVEL,
	METRIC_BY_CHILD,
	METRIC_BY_PROCESS, /* see metric_process() */
	METRIC_BY_VERSION,
	METRIC_BY_COUNT,
};

enum metric {
	/* Requests, and the connections that bring them. */
	METRIC_HTTP_REQUESTS, /* by route, status */
	METRIC_HTTP_DURATION, /* by route */
	METRIC_HTTP_IN_FLIGHT,
	METRIC_HTTP_CONNECTIONS, /* by metric_connection */
	METRIC_HTTP_CONNECTIONS_LEFT,
	METRIC_HTTP_ACCEPTED,
	METRIC_HTTP_REFUSED,	/* by metric_refused_connection */
	METRIC_TLS_HANDSHAKES,	/* by metric_tls_handshake, metric_tls_version */
	METRIC_TLS_DURATION,	/* by metric_tls_handshake */
	METRIC_TLS_FAILED,	/* by metric_tls_failure */
	METRIC_TLS_TICKET_KEYS, /* keys that were made */
	METRIC_UNAUTHENTICATED, /* by metric_access */
	METRIC_RATE_LIMITED,	/* by metric_limit */

	/* Panels and pushes. */
	METRIC_PANELS,		 /* panels in memory */
	METRIC_PANELS_CONNECTED, /* by metric_panel */
	METRIC_PANEL_LINKS,	 /* connections that were made */
	METRIC_PANELS_MOVED,	 /* connections that were ended for an even share */
	METRIC_EVENT_STREAMS,	 /* open streams of programs */
	METRIC_MQTT_CONNECTIONS, /* by metric_mqtt_state */
	METRIC_MQTT_MESSAGES,	 /* by metric_mqtt_message */
	METRIC_PICTURES_SENT,	 /* by metric_panel */
	METRIC_PICTURE_BYTES,	 /* of pictures in memory */
	METRIC_PUSHES,		 /* by metric_push_result */
	METRIC_PUSH_TO_PANEL,	 /* by metric_push_stage */
	METRIC_IMAGE_CONVERSION, /* by metric_image */

	/* Worker threads, and the queues of renders. */
	METRIC_LANE_JOBS,    /* by metric_lane, metric_job_state */
	METRIC_LANE_WAIT,    /* by metric_lane */
	METRIC_LANE_REFUSED, /* by metric_lane, metric_job_refusal */

	/* The database. */
	METRIC_DATABASE_UP,	      /* 1 or 0 of each worker */
	METRIC_DATABASE_CONNECTIONS,  /* by metric_database_role */
	METRIC_DATABASE_CONNECTS,     /* by metric_database_role */
	METRIC_DATABASE_LOSSES,	      /* by metric_database_role */
	METRIC_STATEMENT_DURATION,    /* by statement */
	METRIC_DATABASE_FAILURES,     /* by metric_database_failure */
	METRIC_DATABASE_QUERIES,      /* by metric_query_state */
	METRIC_DISK_REFUSES_PICTURES, /* 1 or 0, set by the supervisor */
	METRIC_DATABASE_BYTES,	      /* set by one worker, as is the next */
	METRIC_DATABASE_BACKED_UP,    /* time, set by one worker; 0: never */
	METRIC_DISK_BYTES,	      /* set by the supervisor, as are the following */
	METRIC_DISK_FREE_BYTES,
	METRIC_CERTIFICATE_ENDS, /* time; 0: there is none */
	METRIC_HINTS_SENT,
	METRIC_HINTS_DROPPED,
	METRIC_HINTS_RECEIVED, /* by metric_hint */
	METRIC_HINT_DELAY,

	/* Apps. */
	METRIC_RENDERS,		/* by metric_language, metric_render_result */
	METRIC_RENDER_DURATION, /* by metric_language */
	METRIC_RENDERS_LATE,
	METRIC_RENDER_LATENESS,
	METRIC_RENDER_FETCHES,	 /* by metric_fetch_result */
	METRIC_WEBHOOK_POSTS,	 /* by metric_hook_result */
	METRIC_WEBHOOK_EVENTS,	 /* events that were delivered */
	METRIC_WEBHOOKS_WAITING, /* webhooks with events to send */

	/* The loop, the log, the processes. */
	METRIC_LOOP_TURN,
	METRIC_LOOP_LONGEST,
	METRIC_LOG_LINES, /* by enum log_level */
	METRIC_LOG_LINES_LOST,
	METRIC_CHILDREN_STARTED, /* by metric_child */
	METRIC_CHILDREN_FAILED,	 /* by metric_child */
	METRIC_BUILD,
	METRIC_PROCESS_CPU,
	METRIC_PROCESS_RESIDENT,
	METRIC_PROCESS_VIRTUAL,
	METRIC_PROCESS_OPEN_FDS,
	METRIC_PROCESS_MAX_FDS,
	METRIC_PROCESS_START,
	METRIC_COUNT,
};

enum {
	METRIC_ROUTES_MAX = 384,
	/* Requests without a route, for METRIC_BY_ROUTE, by enum http_method. */
	METRIC_ROUTE_UNKNOWN = 0,
	METRIC_ROUTES_FIRST = 8,
	METRIC_STATEMENTS_MAX = 384,
	METRIC_PROCESSES_MAX = 1 + 2 * 256, /* the supervisor, and workers with their successors */
};

enum metric_connection { METRIC_CONNECTION_HTTP, METRIC_CONNECTION_WEBSOCKET };

enum metric_refused_connection {
	METRIC_REFUSED_ADDRESS,	    /* its address has its share */
	METRIC_REFUSED_PROXY,	    /* not from a trusted proxy, or without a PROXY header */
	METRIC_REFUSED_DESCRIPTORS, /* no free descriptor, or no memory in the kernel */
};

enum metric_tls_handshake { METRIC_TLS_FULL, METRIC_TLS_RESUMED };

enum metric_tls_version { METRIC_TLS12, METRIC_TLS13 };

enum metric_tls_failure {
	METRIC_TLS_REFUSED, /* refused by the lane */
	METRIC_TLS_WRONG,   /* not a handshake, or an unsupported one */
	METRIC_TLS_TOO_LATE,
	METRIC_TLS_LEFT, /* the client left during the handshake */
};

/* Credential of a caller. */
enum metric_mqtt_state { METRIC_MQTT_CONNECTED, METRIC_MQTT_FAILED, METRIC_MQTT_STATES };

enum metric_mqtt_message {
	METRIC_MQTT_IN,
	METRIC_MQTT_OUT,
	METRIC_MQTT_DROPPED,
	METRIC_MQTT_KINDS
};

enum metric_access {
	METRIC_ACCESS_OTHER, /* sign-in, or use of a one-time link */
	METRIC_ACCESS_API_KEY,
	METRIC_ACCESS_DEVICE_KEY,
	METRIC_ACCESS_SESSION,
	METRIC_ACCESS_METRICS_TOKEN,
};

/* Limit that a caller has reached. */
enum metric_limit {
	METRIC_LIMIT_OTHER,
	METRIC_LIMIT_KEY,
	METRIC_LIMIT_PUSH,
	METRIC_LIMIT_FAILED_ATTEMPTS,
	METRIC_LIMIT_SESSION,
	METRIC_LIMIT_VISITOR,
	METRIC_LIMIT_ATTEMPTS,
	METRIC_LIMIT_FRAMES,
};

enum metric_panel { METRIC_PANEL_LINK, METRIC_PANEL_POLLING };

enum metric_push_result {
	METRIC_PUSH_STORED,
	METRIC_PUSH_REFUSED,   /* the image or another field is wrong */
	METRIC_PUSH_FORBIDDEN, /* no key, or a device that is not the caller's or does not exist */
	METRIC_PUSH_LIMITED,
	METRIC_PUSH_BUSY,
	METRIC_PUSH_ABANDONED,
	METRIC_PUSH_FAILED,
};

enum metric_push_stage { METRIC_PUSH_SENT, METRIC_PUSH_DISPLAYED };

enum metric_image { METRIC_IMAGE_UNKNOWN, METRIC_IMAGE_PNG, METRIC_IMAGE_GIF, METRIC_IMAGE_WEBP };

/* The first ones are those of enum lane, in its order. */
enum metric_lane {
	METRIC_LANE_SHORT,
	METRIC_LANE_LONG,
	METRIC_LANE_PASSWORD,
	METRIC_LANE_KNOWN_PASSWORD,
	METRIC_LANE_HANDSHAKE,
	METRIC_LANE_PREVIEW,
	METRIC_LANE_RENDER,
	METRIC_LANE_MESSAGE,
	METRIC_LANES,
};

enum metric_job_state { METRIC_JOB_WAITING, METRIC_JOB_RUNNING };

enum metric_job_refusal { METRIC_JOB_QUEUE_FULL, METRIC_JOB_SHARE_FULL, METRIC_JOB_TOO_LATE };

enum metric_database_role {
	METRIC_DATABASE_READ,
	METRIC_DATABASE_WRITE,
	METRIC_DATABASE_BLOCKED,
	METRIC_DATABASE_LIST,
	METRIC_DATABASE_HINT,
};

enum metric_database_failure {
	METRIC_DATABASE_REFUSED,     /* by an expected constraint error */
	METRIC_DATABASE_UNAVAILABLE, /* unavailable or too busy */
	METRIC_DATABASE_FAILED,	     /* a bug of the program, or a fault of the database */
	METRIC_DATABASE_FULL,	     /* there is no room on its disk */
};

enum metric_query_state { METRIC_QUERY_WAITING, METRIC_QUERY_SENT };

enum metric_hint {
	METRIC_HINT_OTHER,
	METRIC_HINT_DEVICE,
	METRIC_HINT_PUSH,
	METRIC_HINT_KEY,
	METRIC_HINT_APP,
	METRIC_HINT_RENDER,
	METRIC_HINT_CHANGED,
	METRIC_HINT_WATCH,
	METRIC_HINT_SHOWS,
	METRIC_HINT_READ,
};

/* Same order as enum engine_language. */
enum metric_language { METRIC_STARLARK, METRIC_TYPESCRIPT };

/* Same order as enum engine_problem_kind. */
enum metric_render_result {
	METRIC_RENDER_DONE,
	METRIC_RENDER_WRONG_SCRIPT,
	METRIC_RENDER_NO_APP,
	METRIC_RENDER_LIMIT,
	METRIC_RENDER_LATE,
	METRIC_RENDER_CRASH,
	METRIC_RENDER_BAD_REQUEST,
	METRIC_RENDER_BAD_PICTURE,
	METRIC_RENDER_NOT_AVAILABLE,
	METRIC_RENDER_CANCELLED,
	METRIC_RENDER_RESULTS,
};

enum metric_fetch_result { METRIC_FETCH_ANSWERED, METRIC_FETCH_REFUSED };

enum metric_hook_result { METRIC_HOOK_DELIVERED, METRIC_HOOK_FAILED };

enum metric_child {
	METRIC_CHILD_OTHER,
	METRIC_CHILD_WORKER,
	METRIC_CHILD_POSTGRES,
	METRIC_CHILD_RENDERERS,
};
