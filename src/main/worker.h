/* A worker process: one loop, its lanes, its connections to the database, its HTTP server.
 *
 * Before it starts its first thread it enters its sandbox (main/worker_sandbox.h): from then on it
 * opens no file.
 *
 * It accepts connections once it has answered a request of its own (main/own_request.h) and has the
 * database, or has tried for a while. Then it serves (main/heartbeat.h).
 *
 * SIGUSR1 retires it, while another worker has its work already: it stops accepting, answers each
 * connection's next request with "Connection: close", sends panels away, and ends with 0 when no
 * connection is left. After WORKER_RETIRE_MS it drains.
 *
 * SIGTERM drains it: it stops accepting, lets requests at work finish for at most
 * WORKER_DRAIN_MS, then closes what is left and ends with 0. It ends with its supervisor. */
#pragma once

#include "base/limits.h"
#include "base/region.h"
#include "main/config.h"
#include "main/worker_sandbox.h"
#include "render/engines.h"

enum {
	WORKER_DRAIN_MS = 10 * 1000,
	/* An idle connection ends by itself, or brings its last request, as slowly as one may. */
	WORKER_RETIRE_MS = LIMIT_IDLE_MS + LIMIT_REQUEST_MS,
};

struct worker_settings {
	unsigned index; /* from 0 */
	const struct config *config;
	const char *database_url; /* libpq connection string */
	const char *public_url; /* what URLs that are handed out start with, no slash at its end */
	const char *panel_url;	/* likewise, of the URLs of panels */
	const struct listen_socket *sockets; /* the worker owns their descriptors */
	unsigned socket_count;
	struct region_map *shared; /* see main/shared.h */
	struct engines_settings engines;
	const char *mqtt_password; /* of --mqtt; empty: none */
	const char *why_no_mqtt;   /* why no account has an MQTT broker; NULL: it may */
	const struct settings_key *settings_key;
	const uint8_t *metrics_token_hash; /* NULL: there is no token */
	struct worker_sandbox sandbox;	   /* the layers that are to be had */
};

/* Runs in a process of its own until it has drained. Its exit code. */
int worker_run(const struct worker_settings *settings);
