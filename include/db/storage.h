/* Whether the database has room for what is written, as the workers of an instance have found out
 * together.
 *
 *   a write fails for want of room, or PostgreSQL ends for it   -> it is full
 *   a probe that began after that succeeds                      -> it is not, any more
 *
 * Where nobody writes, nothing fails. So the supervisor says when little room is left on the disk
 * of its own PostgreSQL: then probes find out before a write does.
 *
 * The last part of that disk takes no pictures: they are what users fill it with, and everything
 * else goes on while there is room for it.
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

/* A disk as processes without rights see it. */
struct disk_room {
	uint64_t left_bytes;
	uint64_t all_bytes;
};

/* Called by the supervisor: what is left on the disk of the instance's own PostgreSQL. */
void storage_set_room(struct storage *storage, const struct disk_room *room);
/* False: less than 5 % of the disk are left, and less than 1 GiB. */
bool storage_takes_pictures(const struct storage *storage);
/* Why it takes none, as a sentence for users. */
#define STORAGE_PICTURE_PROBLEM                                                                    \
	"less than 5 % of the disk and less than 1 GiB are left for the database: pictures are "   \
	"rejected until more space is free"
/* Whether so little is left that writes may soon fail. */
bool storage_is_short(const struct storage *storage);

/* Whether a database that does not answer, or a write that was not stored, has met a full disk:
 * writes have found it full, or nothing is left of it. */
bool storage_has_no_room(const struct storage *storage);

/* Whether the caller is to run a probe now: at most one begins in a second where it is full or has
 * no room, else one in a minute. now_ms: of clock_monotonic_ms(). *ret_mark is for
 * storage_probed(). */
bool storage_wants_probe(struct storage *storage, uint64_t now_ms, uint64_t *ret_mark);
/* The probe of this mark has succeeded. */
void storage_probed(struct storage *storage, uint64_t mark);
