/* Keeps the highest timeline of the database (db/timeline.h) in the state directory, for the next
 * start. */
#pragma once

#include "db/timeline.h"

struct instance;

/* Takes what the file says if nothing is known yet, or if displayctl has changed it. Call it before
 * workers start, and at a reload. *saved: what the file was when it was last read or written; begin
 * with zeros. */
void known_timeline_load(const struct instance *instance, struct timeline *saved);

/* Writes the file if a newer timeline was found since. A failure is logged. */
void known_timeline_save(const struct instance *instance, struct timeline *saved);
