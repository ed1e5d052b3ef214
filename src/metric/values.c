#include "base/memory.h"
#include "definitions.h"

static const char *const statuses[] = {
    "other", "100", "101", "200", "201", "202", "204", "301", "302", "303", "304",
    "307",   "308", "400", "401", "403", "404", "405", "406", "408", "409", "410",
    "411",   "412", "413", "414", "415", "416", "417", "421", "422", "426", "428",
    "429",   "431", "499", "500", "501", "502", "503", "504", "505",
};

static const char *const connections[] = {
    [METRIC_CONNECTION_HTTP] = "http",
    [METRIC_CONNECTION_WEBSOCKET] = "websocket",
};

static const char *const refused_connections[] = {
    [METRIC_REFUSED_ADDRESS] = "address",
    [METRIC_REFUSED_PROXY] = "proxy",
    [METRIC_REFUSED_DESCRIPTORS] = "descriptors",
};

static const char *const tls_handshakes[] = {
    [METRIC_TLS_FULL] = "full",
    [METRIC_TLS_RESUMED] = "resumed",
};

static const char *const tls_versions[] = {
    [METRIC_TLS12] = "1.2",
    [METRIC_TLS13] = "1.3",
};

static const char *const tls_failures[] = {
    [METRIC_TLS_REFUSED] = "refused",
    [METRIC_TLS_WRONG] = "wrong",
    [METRIC_TLS_TOO_LATE] = "late",
    [METRIC_TLS_LEFT] = "left",
};

static const char *const accesses[] = {
    [METRIC_ACCESS_OTHER] = "other",
    [METRIC_ACCESS_API_KEY] = "api_key",
    [METRIC_ACCESS_DEVICE_KEY] = "device_key",
    [METRIC_ACCESS_SESSION] = "session",
    [METRIC_ACCESS_METRICS_TOKEN] = "metrics_token",
};

static const char *const mqtt_states[] = {
    [METRIC_MQTT_CONNECTED] = "connected",
    [METRIC_MQTT_FAILED] = "failed",
};

static const char *const mqtt_messages[] = {
    [METRIC_MQTT_IN] = "in",
    [METRIC_MQTT_OUT] = "out",
    [METRIC_MQTT_DROPPED] = "dropped",
};

/* "guesses" is a name that dashboards use. */
static const char *const limits[] = {
    [METRIC_LIMIT_OTHER] = "other",	  [METRIC_LIMIT_KEY] = "key",
    [METRIC_LIMIT_PUSH] = "push",	  [METRIC_LIMIT_FAILED_ATTEMPTS] = "guesses",
    [METRIC_LIMIT_SESSION] = "session",	  [METRIC_LIMIT_VISITOR] = "visitor",
    [METRIC_LIMIT_ATTEMPTS] = "attempts", [METRIC_LIMIT_FRAMES] = "frames",
};

static const char *const panels[] = {
    [METRIC_PANEL_LINK] = "link",
    [METRIC_PANEL_POLLING] = "polling",
};

static const char *const push_results[] = {
    [METRIC_PUSH_STORED] = "stored",	   [METRIC_PUSH_REFUSED] = "refused",
    [METRIC_PUSH_FORBIDDEN] = "forbidden", [METRIC_PUSH_LIMITED] = "limited",
    [METRIC_PUSH_BUSY] = "busy",	   [METRIC_PUSH_ABANDONED] = "abandoned",
    [METRIC_PUSH_FAILED] = "failed",
};

static const char *const push_stages[] = {
    [METRIC_PUSH_SENT] = "sent",
    [METRIC_PUSH_DISPLAYED] = "displayed",
};

static const char *const images[] = {
    [METRIC_IMAGE_UNKNOWN] = "unknown",
    [METRIC_IMAGE_PNG] = "png",
    [METRIC_IMAGE_GIF] = "gif",
    [METRIC_IMAGE_WEBP] = "webp",
};

static const char *const lanes[] = {
    [METRIC_LANE_SHORT] = "short",	   [METRIC_LANE_LONG] = "long",
    [METRIC_LANE_PASSWORD] = "password",   [METRIC_LANE_KNOWN_PASSWORD] = "known_password",
    [METRIC_LANE_HANDSHAKE] = "handshake", [METRIC_LANE_PREVIEW] = "preview",
    [METRIC_LANE_RENDER] = "render",	   [METRIC_LANE_MESSAGE] = "message",
};

static const char *const job_states[] = {
    [METRIC_JOB_WAITING] = "waiting",
    [METRIC_JOB_RUNNING] = "running",
};

static const char *const job_refusals[] = {
    [METRIC_JOB_QUEUE_FULL] = "queue",
    [METRIC_JOB_SHARE_FULL] = "share",
    [METRIC_JOB_TOO_LATE] = "wait",
};

static const char *const database_roles[] = {
    [METRIC_DATABASE_READ] = "read",	   [METRIC_DATABASE_WRITE] = "write",
    [METRIC_DATABASE_BLOCKED] = "blocked", [METRIC_DATABASE_LIST] = "list",
    [METRIC_DATABASE_HINT] = "hint",
};

static const char *const database_failures[] = {
    [METRIC_DATABASE_REFUSED] = "refused",
    [METRIC_DATABASE_UNAVAILABLE] = "away",
    [METRIC_DATABASE_FAILED] = "failed",
    [METRIC_DATABASE_FULL] = "full",
};

static const char *const query_states[] = {
    [METRIC_QUERY_WAITING] = "waiting",
    [METRIC_QUERY_SENT] = "sent",
};

static const char *const hints[] = {
    [METRIC_HINT_OTHER] = "other",     [METRIC_HINT_DEVICE] = "device",
    [METRIC_HINT_PUSH] = "push",       [METRIC_HINT_KEY] = "key",
    [METRIC_HINT_APP] = "app",	       [METRIC_HINT_RENDER] = "render",
    [METRIC_HINT_CHANGED] = "changed", [METRIC_HINT_WATCH] = "watch",
    [METRIC_HINT_SHOWS] = "shows",     [METRIC_HINT_READ] = "read",
};

static const char *const languages[] = {
    [METRIC_STARLARK] = "starlark",
    [METRIC_TYPESCRIPT] = "typescript",
};

static const char *const render_results[] = {
    [METRIC_RENDER_DONE] = "done",
    [METRIC_RENDER_WRONG_SCRIPT] = "wrong_script",
    [METRIC_RENDER_NO_APP] = "no_app",
    [METRIC_RENDER_LIMIT] = "limit",
    [METRIC_RENDER_LATE] = "late",
    [METRIC_RENDER_CRASH] = "crash",
    [METRIC_RENDER_BAD_REQUEST] = "bad_request",
    [METRIC_RENDER_BAD_PICTURE] = "bad_picture",
    [METRIC_RENDER_NOT_AVAILABLE] = "not_available",
    [METRIC_RENDER_CANCELLED] = "cancelled",
};

static const char *const fetch_results[] = {
    [METRIC_FETCH_ANSWERED] = "answered",
    [METRIC_FETCH_REFUSED] = "refused",
};

static const char *const hook_results[] = {
    [METRIC_HOOK_DELIVERED] = "delivered",
    [METRIC_HOOK_FAILED] = "failed",
};

static const char *const children[] = {
    [METRIC_CHILD_OTHER] = "other",
    [METRIC_CHILD_WORKER] = "worker",
    [METRIC_CHILD_POSTGRES] = "postgres",
    [METRIC_CHILD_RENDERERS] = "renderers",
};

/* Same order as enum log_level. */
static const char *const log_levels[] = {"debug", "info", "warn", "error"};

static const char *const versions[] = {DISPLAYD_VERSION};

#define LABEL(name, texts)                                                                         \
	{                                                                                          \
		.names = {name}, .count = array_length(texts), .values = texts                     \
	}

const struct metric_label metric_labels[METRIC_BY_COUNT] = {
    [METRIC_BY_ROUTE] = {.names = {"route", "method"}},
    [METRIC_BY_STATUS] = LABEL("status", statuses),
    [METRIC_BY_STATEMENT] = {.names = {"statement"}},
    [METRIC_BY_CONNECTION] = LABEL("kind", connections),
    [METRIC_BY_REFUSED_CONNECTION] = LABEL("reason", refused_connections),
    [METRIC_BY_TLS_HANDSHAKE] = LABEL("kind", tls_handshakes),
    [METRIC_BY_TLS_VERSION] = LABEL("version", tls_versions),
    [METRIC_BY_TLS_FAILURE] = LABEL("reason", tls_failures),
    [METRIC_BY_ACCESS] = LABEL("access", accesses),
    [METRIC_BY_LIMIT] = LABEL("limit", limits),
    [METRIC_BY_PANEL] = LABEL("by", panels),
    [METRIC_BY_PUSH_RESULT] = LABEL("result", push_results),
    [METRIC_BY_PUSH_STAGE] = LABEL("until", push_stages),
    [METRIC_BY_IMAGE] = LABEL("format", images),
    [METRIC_BY_LANE] = LABEL("lane", lanes),
    [METRIC_BY_JOB_STATE] = LABEL("state", job_states),
    [METRIC_BY_JOB_REFUSAL] = LABEL("reason", job_refusals),
    [METRIC_BY_DATABASE_ROLE] = LABEL("role", database_roles),
    [METRIC_BY_DATABASE_FAILURE] = LABEL("reason", database_failures),
    [METRIC_BY_QUERY_STATE] = LABEL("state", query_states),
    [METRIC_BY_HINT] = LABEL("kind", hints),
    [METRIC_BY_MQTT_STATE] = LABEL("state", mqtt_states),
    [METRIC_BY_MQTT_MESSAGE] = LABEL("what", mqtt_messages),
    [METRIC_BY_LANGUAGE] = LABEL("language", languages),
    [METRIC_BY_RENDER_RESULT] = LABEL("result", render_results),
    [METRIC_BY_FETCH_RESULT] = LABEL("result", fetch_results),
    [METRIC_BY_HOOK_RESULT] = LABEL("result", hook_results),
    [METRIC_BY_CHILD] = LABEL("process", children),
    [METRIC_BY_LOG_LEVEL] = LABEL("level", log_levels),
    [METRIC_BY_PROCESS] = {.names = {"process"}},
    [METRIC_BY_VERSION] = LABEL("version", versions),
};
