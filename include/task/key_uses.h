/* Stores, with a delay, when API keys were last used.
 *
 * A use is noted when the key was read from the database. The key cache reads a used key at least
 * every five minutes, so the time is that exact, and a request that the cache answers costs
 * nothing. */
#pragma once

#include "base/id.h"
#include "db/db.h"

struct key_uses;

struct key_uses *key_uses_create(struct loop *loop, struct db *db);
/* Call it when no write is under way. */
void key_uses_destroy(struct key_uses *uses);

/* Notes a use, which is written within some seconds. If very many wait, it is dropped. */
void key_uses_note(struct key_uses *uses, struct id key_id);

/* Writes waiting uses, and accepts none from now on. */
void key_uses_drain(struct key_uses *uses);
