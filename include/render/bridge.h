/* A worker's part of MQTT: its leases of connections to brokers, and its socket to the bridge
 * (subprojects/mqtt), the process that opens the connections, one for an instance.
 *
 *   mqtt_connection --lease, 6.5 s--> worker --settings--> bridge process --> broker
 *                                    worker <--requests-- bridge process
 *
 * A worker renews its lease every 2 s, in its row of mqtt_holder; if that fails its connections
 * end, and other workers take over. The bridge asks the API over sockets that the worker gives to
 * its own HTTP server, each as one account (struct bridge_peer): so the rules and limits of the API
 * apply to it, and a compromised bridge reaches only the accounts that it serves. */
#pragma once

#include "db/db.h"
#include "domain/secret_settings.h"
#include "http/server.h"
#include "render/engine.h"

struct bridge;

/* Connection from the instance's own settings. */
struct bridge_own {
	struct str account; /* e-mail address; empty: there is no such connection */
	struct str url;
	struct str username, password; /* empty: none */
};

struct bridge_settings {
	struct loop *loop;
	struct db *db;
	struct engines *engines; /* their render host starts the process */
	const struct settings_key *key;
	struct http_server *http;
	struct http_listener_settings listener; /* listener of HTTP_ROLE_BRIDGE */
	unsigned connections_max;		/* maximum at a time */
	struct bridge_own own;
	bool has_program; /* false: it has no connections */
};

struct bridge *bridge_create(const struct bridge_settings *settings)
    __attribute__((returns_nonnull));
/* Gives the leases back. Call it before the engines are drained. */
void bridge_drain(struct bridge *bridge);
/* Call it after the database is closed, when no request is left. */
void bridge_destroy(struct bridge *bridge);
