/* Local time in a zone of the tz database, from the bytes of its file ("TZif", RFC 9636).
 *
 * libc knows one zone at a time, for the whole process, through the environment. These functions
 * keep nothing outside of struct zone, which never changes: any thread may call them. */
#pragma once

#include <text/str.h>

#include <stdint.h>

struct zone;

/* Reads a file of version 1 to 4. Returns NULL if anything in it is malformed, and for files that
 * count leap seconds, whose times differ from this system's clock. Free with zone_destroy(). */
__attribute__((warn_unused_result)) struct zone *zone_parse(struct str file);

/* NULL is allowed. */
void zone_destroy(struct zone *zone);

/* Returns the seconds by which local time is ahead of UTC. wall_s: seconds since 1970. NULL is UTC.
 */
int zone_offset_s(const struct zone *zone, int64_t wall_s);

struct zone_change {
	int64_t at_s;
	int offset_s; /* from then on */
};

/* Lists the offset at from_s, and each change after it and before until_s, oldest first: at most
 * max, which is more than 0. For processes without a tz database, such as those in a sandbox.
 * Returns how many.
 */
unsigned zone_changes(const struct zone *zone, int64_t from_s, int64_t until_s,
		      struct zone_change *ret_changes, unsigned max);
