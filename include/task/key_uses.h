/* Writes behind when API keys were last used.
 *
 * A use is noted when the database was asked for the key: the key cache asks every five minutes at
 * least while a key is used, so the time is right to within that, and a request that the cache
 * answers costs nothing for it. */
#pragma once

#include "base/id.h"
#include "db/db.h"

struct key_uses;

struct key_uses *key_uses_create(struct loop *loop, struct db *db);
/* No write is under way any more. */
void key_uses_destroy(struct key_uses *uses);

/* Written within some seconds. Where very many wait, it is left out. */
void key_uses_note(struct key_uses *uses, struct id key_id);

/* Writes what waits, and from now on nothing. */
void key_uses_drain(struct key_uses *uses);
