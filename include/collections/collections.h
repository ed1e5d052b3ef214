/* Collections of apps that the server fetches, when an administrator asks for them and daily.
 *
 *   app_archive --lease--> a worker: the archive (render/download.h) -> its apps (render/archive.h)
 *     -> of each new or changed one the script, picture and texts (checkout/checkout.h)
 *     -> POST /web/admin/collections/ID/apps, as displayctl app import sends it, over a socket to
 *        this worker's own HTTP server: judged and stored by the same code
 *
 * An app that fails keeps its last version. If the worker ends, another one goes on: what has the
 * same content is not imported again. Hints for open pages notify workers; without them a worker
 * looks every 30 s. */
#pragma once

#include "http/listener.h"

struct collections;
struct db;
struct engines;
struct http_server;
struct loop;

struct collections_settings {
	struct loop *loop;
	struct db *db;
	struct engines *engines;
	struct http_server *http;
	struct http_listener_settings listener; /* listener of HTTP_ROLE_OPERATOR */
};

/* Objects in the settings must outlive it. Free with collections_destroy(). */
struct collections *collections_create(const struct collections_settings *settings)
    __attribute__((returns_nonnull));
/* Begins nothing any more. A fetch under way is given back. Call it before engines_drain(). */
void collections_drain(struct collections *collections);
/* Whether statements or a fetch are under way. False soon after collections_drain() and
 * engines_drain(). */
bool collections_are_at_work(const struct collections *collections);
/* Call it when the loop has ended, and before db_destroy(). */
void collections_destroy(struct collections *collections);
