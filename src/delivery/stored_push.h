/* Shows a push that this worker has stored, see delivery/stored_push.h. */
#pragma once

#include "delivery/stored_push.h"
#include "panels.h"

/* Returns true if the panel has the push now, as if it had been loaded. Returns false, and changes
 * nothing, if the panel is not exactly one generation behind or is loading: something else changed
 * the device before this push, or may have. */
bool panel_take_push(struct panel *panel, const struct stored_push *push);
