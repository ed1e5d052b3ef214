/* A worker process: one loop, its lanes, its connections to the database, its HTTP server.
 *
 * Before it starts its first thread it enters its sandbox (main/worker_sandbox.h): from then on it
 * opens no file.
 *
 * It accepts connections once it has answered a request of its own (main/own_request.h) and has the
 * database, or has tried for a while and replaces no other worker, which could serve meanwhile.
 * Then it serves (main/heartbeat.h).
 *
 * SIGUSR1 retires it, after another worker has taken over: it stops accepting, answers each
 * connection's next request with "Connection: close", drops panel connections, and ends with 0 when
 * no connection is left. After WORKER_RETIRE_MS it drains.
 *
 * SIGTERM drains it: it stops accepting, lets requests under way finish for at most
 * WORKER_DRAIN_MS, then closes the remaining connections and ends with 0. It ends with its
 * supervisor. */
#pragma once

#include "base/limits.h"
#include "base/region.h"
#include "main/config_secrets.h"
#include "main/worker_sandbox.h"
#include "render/engines.h"

enum {
	WORKER_DRAIN_MS = 10 * 1000,
	/* Enough for an idle connection to end by itself, or to send its last request at the
	 * slowest allowed pace. */
	WORKER_RETIRE_MS = LIMIT_IDLE_MS + LIMIT_REQUEST_MS,
};

struct worker_settings {
	unsigned index;	   /* from 0 */
	bool is_successor; /* of a worker that serves until this one does */
	const struct config *config;
	const char *database_url; /* libpq connection string */
	const char *public_url;	  /* start of displayd's URLs, without a slash at its end */
	const char *panel_url;	  /* start of the URLs of panels, without a slash at its end */
	const struct listen_socket *sockets; /* the worker takes ownership of their descriptors */
	unsigned socket_count;
	struct region_map *shared; /* see main/shared.h */
	struct engines_settings engines;
	const struct config_secrets *secrets;
	const char *why_no_mqtt; /* why accounts cannot connect to MQTT brokers; NULL: they can */
	const struct settings_key *settings_key;
	const uint8_t *metrics_token_hash; /* NULL: no token */
	struct worker_sandbox sandbox;	   /* available layers */
};

/* Runs in a process of its own until it has drained. Returns its exit code. */
int worker_run(const struct worker_settings *settings);
