/* Table of the devices that pages of any instance watch, in memory that the workers of an instance
 * share: a worker that gets a panel tells others only if somebody may watch it. Some devices
 * share an entry. */
#pragma once

#include "base/id.h"
#include "base/region.h"

#include <stdbool.h>

struct watch_table;

/* Times are those of loop_now_ms(), which is the same in all processes. */
void watch_table_note(struct watch_table *table, struct id device_id, uint64_t until_ms);
/* Whether the device, or one that shares its entry, may be watched. */
bool watch_table_has(const struct watch_table *table, struct id device_id, uint64_t now_ms);
