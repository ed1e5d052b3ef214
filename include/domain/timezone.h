/* Local time in any zone of the system's tz database.
 *
 * glibc reads the zone files; it knows one zone at a time, for the whole process, through TZ. So
 * these are for the loop's thread only, and results are kept: an offset changes at a full quarter
 * of an hour, if at all. Worker threads must not read the environment or ask for local time. */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum { TIMEZONE_SLOT_S = 15 * 60 };

/* Seconds that local time is ahead of UTC at that moment. An unknown zone is UTC. */
int timezone_offset_s(const char *zone, int64_t wall_s);

/* Whether this is the exact name of a zone or link of the system's tz database: no abbreviation, no
 * "posix/", no rule. Looks for the zone's file: some microseconds. */
bool timezone_is_known(struct str name);
