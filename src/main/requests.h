/* Everything in a worker that answers requests, by listener. */
#pragma once

#include "http/listener.h"
#include "http/server.h"
#include "main/config.h"
#include "render/bridge.h"
#include "render/engines.h"
#include "render/renders.h"
#include "task/dispatch.h"
#include "web/web.h"

#include <text/reach.h>

struct requests {
	struct web_service web;
	struct engines *engines;
	struct renders *renders;
	struct firmware_jobs *firmware;
	struct collections *collections; /* NULL: not started */
	struct network_list listed;	 /* of --egress-allow */
	struct bridge *bridge;		 /* NULL until requests_start_bridge() */
	struct dispatch listeners[HTTP_ROLE_COUNT];
};

/* Call it before the loop runs. All arguments must stay valid except the engines' settings. shared:
 * see main/shared.h. worker: from 0. */
void requests_start(struct requests *requests, struct loop *loop, struct db *db,
		    const struct config *config, const char *public_url, const char *panel_url,
		    const struct engines_settings *engines, struct region_map *shared,
		    unsigned worker, const struct settings_key *settings_key,
		    const uint8_t *metrics_token_hash, const char *oidc_secret);

/* Connects accounts to MQTT brokers from now on. why_not: NULL, or why none can be connected.
 * own_password: of --mqtt; empty: none. It must stay valid. */
void requests_start_bridge(struct requests *requests, struct http_server *http, const char *why_not,
			   const struct config *config, const char *own_password);
/* Starts the fetches of collections, which ask this server. */
void requests_start_collections(struct requests *requests, struct http_server *http);

/* Returns the settings of a listener of that role; valid as long as the requests. */
struct http_listener_settings requests_listener(struct requests *requests, enum http_role role);

/* Leaves the connections to MQTT brokers to other workers. */
void requests_retire(struct requests *requests);
/* Drops panel connections; requests under way continue. */
void requests_drain(struct requests *requests);
/* Ends renders: requests under way are being cut off. */
void requests_close(struct requests *requests);
/* Call it after the database's connections are closed. */
void requests_finish(struct requests *requests);
