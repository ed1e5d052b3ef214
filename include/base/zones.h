/* Table of all time zones of the system by name, one for the process.
 *
 * The files are read once. The supervisor loads them before it forks the workers, which share the
 * memory (about 0.6 MB) and never read a file for a zone; a new tz database takes effect at the
 * next start. Other programs load the table with their first look into it. */
#pragma once

#include "base/zone.h"

#define ZONES_FOLDER "/usr/share/zoneinfo"

struct zones_count {
	unsigned loaded;
	unsigned refused; /* malformed zone files */
};

/* Reads every zone below the folder, and replaces all zones that were loaded before. No other
 * thread may look up zones meanwhile. */
struct zones_count zones_load(const char *folder);

/* Returns the zone or link with exactly this name, valid until the next zones_load(), or NULL.
 * Abbreviations, names below "posix/" and rules are not found. */
const struct zone *zones_find(struct str name);

/* Names of all zones and links, sorted by their bytes. They live until zones_load() is called
 * again. */
const char *const *zones_names(unsigned *ret_count);
