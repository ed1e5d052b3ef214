/* Counts the changes of devices that workers of this instance have answered, in memory that they
 * share. A worker that has a panel in memory sees by the count, before any hint arrives, that
 * another worker has answered a change. So each poll and frame that begins later has the answered
 * change, whichever worker it reaches.
 *
 *   commit -> change_note() -> answer
 *   poll at another worker -> change_count() has grown -> load
 *
 * Several devices may share a counter. Then one of them is loaded once more than needed; no change
 * is ever missed. */
#pragma once

#include "base/id.h"
#include "base/region.h"

struct change_table;
struct change_counter;

/* The common part of this region is the struct change_table. */
extern const struct region change_region;

/* Returns the counter of this device, valid as long as the table. */
struct change_counter *change_counter_of(struct change_table *table, struct id device_id);
/* Reads the count. Call it before sending the query that reads the device: changes that were
 * counted by then were committed. */
uint64_t change_count(const struct change_counter *counter);
/* Counts a change that was committed and is about to be answered. Returns the previous count. */
uint64_t change_note(struct change_counter *counter);
