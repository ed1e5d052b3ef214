/* Decides when apps are rendered, and by which worker.
 *
 *   delivery: an entry comes next, and its picture is too old
 *       |  want, one a place; the accounts take turns
 *       v
 *   lease ------ no other worker or instance renders the render key meanwhile; a lease runs out, so
 *       |        a worker that dies holds nothing up; no transaction is open
 *       v
 *   engines_submit() --> store --> hint "render:PLACE:GENERATION" --> panels of all workers
 *
 * A failed render leaves the old picture. A script that crashes or meets a limit three times in a
 * row pauses, first for a minute and then for twice as long each time, up to six hours; other
 * failures are tried again at the next regular render. The same is counted for the version: after
 * three in a row at any places, all places pause where its last render did not succeed, until one
 * of them succeeds; each pause lets one of them try. If all three were one account's, the version
 * pauses for that account alone.
 *
 * This module also has uploaded TypeScript compiled, and removes pictures of places that no
 * installation has any more.
 *
 * So a version that always crashes costs three renders and those under way then, twelve in a worker
 * at most; and nobody's settings take away a picture that works, or stop the app for others. */
#pragma once

#include "db/db.h"
#include "delivery/delivery.h"
#include "render/engine.h"

struct renders;
struct events;
struct settings_key;

struct renders_settings {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct events *events;
	struct engines *engines;
	const struct settings_key *key; /* of secret settings */
};

/* Everything in the settings must outlive the renders. */
struct renders *renders_create(const struct renders_settings *settings);
/* Nothing new is begun, and what is under way is given up. */
void renders_drain(struct renders *renders);
/* After db_close(), before the delivery is destroyed. */
void renders_destroy(struct renders *renders);
