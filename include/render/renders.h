/* When apps are rendered, and by whom.
 *
 *   delivery: an entry comes next, and its picture is too old
 *       |  want, one a place; the accounts take turns
 *       v
 *   claim ------ none of all workers and instances renders the place meanwhile; a claim runs out,
 * so |        a worker that dies holds nothing up; no transaction is open
 *       v
 *   engines_submit() --> store --> hint "render:PLACE:GENERATION" --> panels of all workers
 *
 * A render that fails leaves the picture of the last one. A script that crashes or meets a limit
 * three times in a row rests, first for a minute and then for twice as long each time, up to six
 * hours; what else fails is tried again when it would have been rendered anyway. The same is
 * counted for the version: after three in a row at any places, those rest that it has not drawn
 * well last, until one of them, of which each pause gives one the turn, has been. Where all three
 * were one account's, the version rests for that account alone.
 *
 * The same module has scripts in TypeScript compiled that were uploaded, and removes what was
 * rendered at places that no installation has any more.
 *
 * So a version that always crashes costs three renders and those under way then, twelve in a worker
 * at most; and nobody's settings take away a picture that works, or stop the app for others. */
#pragma once

#include "db/db.h"
#include "delivery/delivery.h"
#include "render/engine.h"

struct renders;
struct settings_key;

struct renders_settings {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct engines *engines;
	const struct settings_key *key; /* of secret settings */
};

/* What the settings name must outlive it. */
struct renders *renders_create(const struct renders_settings *settings);
/* Nothing new is begun, and what is under way is given up. */
void renders_drain(struct renders *renders);
/* After db_close(), before the delivery is destroyed. */
void renders_destroy(struct renders *renders);
