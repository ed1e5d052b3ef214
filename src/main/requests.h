/* The requests' side of a worker: what answers them on which listener. */
#pragma once

#include "http/listener.h"
#include "http/server.h"
#include "main/config.h"
#include "render/bridge.h"
#include "render/engines.h"
#include "render/renders.h"
#include "task/dispatch.h"
#include "web/web.h"

struct requests {
	struct web_service web;
	struct engines *engines;
	struct renders *renders;
	struct bridge *bridge; /* NULL until requests_start_bridge() */
	struct dispatch listeners[HTTP_ROLE_COUNT];
};

/* Before the loop runs. All stay valid but the engines' settings. shared: see main/shared.h.
 * worker: from 0. */
void requests_start(struct requests *requests, struct loop *loop, struct db *db,
		    const struct config *config, const char *public_url, const char *panel_url,
		    const struct engines_settings *engines, struct region_map *shared,
		    unsigned worker, const struct settings_key *settings_key,
		    const uint8_t *metrics_token_hash);

/* Connects accounts to MQTT brokers from now on. why_not: NULL, or why none can be connected.
 * own_password: of --mqtt; empty: none. It stays valid. */
void requests_start_bridge(struct requests *requests, struct http_server *http, const char *why_not,
			   const struct config *config, const char *own_password);

/* Returns the settings of a listener of that role; valid as long as the requests. */
struct http_listener_settings requests_listener(struct requests *requests, enum http_role role);

/* Other workers take the connections to MQTT brokers. */
void requests_retire(struct requests *requests);
/* Panels are sent away; requests at work go on. */
void requests_drain(struct requests *requests);
/* Requests at work are cut off: nothing is rendered any more. */
void requests_close(struct requests *requests);
/* After the database's connections are closed. */
void requests_finish(struct requests *requests);
