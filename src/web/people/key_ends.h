/* Ends what API keys have set up, webhooks and MQTT connections, once the keys may not have it: of
 * keys that have expired, and of keys whose revocation was committed while the statement after it
 * was not.
 *
 * Each worker looks every few seconds, by an index that has only such keys. Two workers that find
 * the same key end each thing once. */
#pragma once

#include "db/db.h"

struct key_ends;

struct key_ends *key_ends_create(struct loop *loop, struct db *db);
/* Call it when no query is under way. */
void key_ends_destroy(struct key_ends *ends);

/* Begins nothing from now on. */
void key_ends_drain(struct key_ends *ends);
