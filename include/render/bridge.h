/* A worker's part of MQTT: the connections to brokers that it holds, and its link to the process
 * that makes them, the bridge (subprojects/mqtt), of which an instance has one.
 *
 *   mqtt_connection --lease, 15 s--> worker --settings--> bridge process --> broker
 *                                    worker <--requests-- bridge process
 *
 * A worker renews its leases every 5 s; where that fails its connections end, and others take them.
 * The bridge asks the API over sockets that the worker gives to its own HTTP server, each as one
 * account (struct bridge_peer): so the rules and limits of the API hold for it, and a bridge that
 * was taken over reaches only the accounts that it serves. */
#pragma once

#include "db/db.h"
#include "domain/secret_settings.h"
#include "http/server.h"
#include "render/engine.h"

struct bridge;

/* The connection of the instance's own settings. */
struct bridge_own {
	struct str account; /* e-mail address; empty: there is no such connection */
	struct str url;
	struct str username, password; /* empty: none */
};

struct bridge_settings {
	struct loop *loop;
	struct db *db;
	struct engines *engines; /* whose render host starts the process */
	const struct settings_key *key;
	struct http_server *http;
	struct http_listener_settings listener; /* of HTTP_ROLE_BRIDGE */
	unsigned connections_max;		/* at a time */
	struct bridge_own own;
	bool has_program; /* false: it holds none */
};

struct bridge *bridge_create(const struct bridge_settings *settings)
    __attribute__((returns_nonnull));
/* Before the engines are drained. Gives the leases back. */
void bridge_drain(struct bridge *bridge);
/* After the database is closed, and when no request is left. */
void bridge_destroy(struct bridge *bridge);
