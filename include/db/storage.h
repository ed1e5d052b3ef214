/* Whether the database has free space for writes: shared knowledge of an instance's workers.
 *
 *   a write fails for lack of space, or PostgreSQL ends for it  -> it is full
 *   a probe that began after that succeeds                      -> it is not full any more
 *
 * If nothing is written, nothing fails. So the supervisor reports if little space is left on the
 * disk of its own PostgreSQL: then probes find out before a write does.
 *
 * The last part of that disk is not used for pictures, since it is pictures that fill a disk.
 * Everything else continues while there is space.
 *
 * A probe is a write that needs space and leaves no row (sql/query/storage_probe.sql); a module
 * above the database runs it. */
#pragma once

#include "base/region.h"

#include <stdbool.h>

struct storage; /* common part of the region */

extern const struct region storage_region;

/* Called by a connection whose write failed for lack of space. */
void storage_failed(struct storage *storage);
bool storage_is_full(const struct storage *storage);

/* A disk as processes without rights see it. */
struct disk_room {
	uint64_t left_bytes;
	uint64_t all_bytes;
};

/* Called by the supervisor with the free space on the disk of the instance's own PostgreSQL. */
void storage_set_room(struct storage *storage, const struct disk_room *room);
/* Whether pictures may be stored: at least 5 % of the disk, or 1 GiB, is left. */
bool storage_takes_pictures(const struct storage *storage);
/* Reason why pictures may not be stored, as a sentence for users. */
#define STORAGE_PICTURE_PROBLEM                                                                    \
	"less than 5 % of the disk and less than 1 GiB are left for the database: pictures are "   \
	"rejected until more space is free"
/* Whether so little is left that writes may soon fail. */
bool storage_is_short(const struct storage *storage);

/* Whether a database that does not answer, or a write that was not stored, was caused by a full
 * disk: writes have found it full, or no space is left. */
bool storage_has_no_room(const struct storage *storage);

/* Whether the caller should run a probe now: at most one a second if the disk is full or has no
 * space, else one a minute. now_ms: of clock_monotonic_ms(). *ret_mark is for storage_probed(). */
bool storage_wants_probe(struct storage *storage, uint64_t now_ms, uint64_t *ret_mark);
/* Reports that the probe with this mark has succeeded. */
void storage_probed(struct storage *storage, uint64_t mark);
