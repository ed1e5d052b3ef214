/* Whether the database has room for what is written, as the workers of an instance have found out
 * together.
 *
 *   a write fails for want of room, or PostgreSQL ends for it   -> it is full
 *   a probe that began after that succeeds                      -> it is not, any more
 *
 * Where nobody writes, nothing fails. So the supervisor says when little room is left on the disk
 * of its own PostgreSQL: then probes find out before a write does.
 *
 * A probe is a write that needs room and leaves no row (sql/query/storage_probe.sql); a module
 * above the database runs it. */
#pragma once

#include "base/region.h"

#include <stdbool.h>

struct storage; /* the common part of the region */

extern const struct region storage_region;

/* Called by the connections. */
void storage_failed(struct storage *storage);
bool storage_is_full(const struct storage *storage);

/* Called by the supervisor: what is left on the disk of the instance's own PostgreSQL. */
void storage_set_room(struct storage *storage, uint64_t left_bytes);
/* Whether so little is left that writes may soon fail. */
bool storage_is_short(const struct storage *storage);

/* Whether the caller is to run a probe now: at most one begins in a second where it is full or has
 * no room, else one in a minute. now_ms: of clock_monotonic_ms(). *ret_mark is for
 * storage_probed(). */
bool storage_wants_probe(struct storage *storage, uint64_t now_ms, uint64_t *ret_mark);
/* The probe of this mark has succeeded. */
void storage_probed(struct storage *storage, uint64_t mark);
