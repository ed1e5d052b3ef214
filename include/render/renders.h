/* Decides when apps are rendered, and by which worker.
 *
 *   delivery: an entry comes next, and its picture is too old
 *       |  render job, one for a render key; the accounts take turns
 *       v
 *   render lease  no other worker or instance renders the key meanwhile. It expires, so that a
 *       |         worker that dies delays nothing; no transaction is open
 *       v
 *   engines_submit() --> store --> hint "render:KEY:GENERATION" --> panels of all workers
 *
 * A failed render leaves the old picture. After three crashes or reached limits in a row a render
 * key pauses, first for a minute and then for twice as long each time, up to six hours; other
 * failures are tried again at the next regular render. The same is counted for the version: after
 * three in a row with any render keys, all keys whose last render did not succeed pause, until one
 * of them succeeds; each pause lets one of them try. If all three were one account's, the version
 * pauses for that account only.
 *
 * This module also checks uploaded versions, and removes pictures of render keys that no
 * installation uses any more.
 *
 * So a version that always crashes costs three renders and those under way then, at most 22 in a
 * worker; and no account's settings take away a picture that works, or stop the app for others.
 */
#pragma once

#include "db/db.h"
#include "delivery/delivery.h"
#include "render/engine.h"

struct renders;
struct events;
struct settings_key;
struct render_health;

struct renders_settings {
	struct loop *loop;
	struct db *db;
	struct delivery *delivery;
	struct events *events;
	struct engines *engines;
	const struct settings_key *key; /* key of secret settings */
};

/* Objects in the settings must outlive the renders. Free with renders_destroy(). */
struct renders *renders_create(const struct renders_settings *settings);
/* Call it once a second: reports how late pictures are. health may be NULL. */
void renders_tell(struct renders *renders, struct render_health *health);
/* Begins nothing new, and gives up what is under way. */
void renders_drain(struct renders *renders);
/* Call it after db_close(), before delivery_destroy(). */
void renders_destroy(struct renders *renders);
