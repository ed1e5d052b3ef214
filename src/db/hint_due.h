/* When a hint connection asks its server, and for what: see hint.h. */
#pragma once

#include "hint_state.h"

/* Interval of beats of an instance that knows no other: it becomes known by them. */
enum { HINT_SEEN_MS = 20 * 1000 };

/* Whether the worker has a row of beats, perhaps with others. */
bool hint_has_beats(const struct hints *hints);
/* Whether the server refuses to write: then no change needs a hint either. */
bool hint_is_read_only(const struct hints *hints);
/* When the last renewal of the row was sent; 0: never. */
uint64_t hint_seen_ms(const struct hints *hints);
/* The first beat waits for the hints of other modules that came up: they make up for those that
 * were lost. */
bool hint_wants_beat(const struct hints *hints);
/* Time from one look at what is due to the next. */
uint64_t hint_interval_ms(const struct hints *hints);
/* Whether a ping, look or beat is due. The first beat does not wait for its interval. */
bool hint_is_due(const struct hints *hints);
