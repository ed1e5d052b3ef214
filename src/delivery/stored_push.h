/* Shows what this worker has stored, see delivery/stored_push.h. */
#pragma once

#include "delivery/stored_push.h"
#include "panels.h"

/* True: the panel has the push now, as if it had been loaded. False, and nothing changed, where it
 * is not just one generation behind or is being loaded: something else came between, or may have.
 */
bool panel_take_push(struct panel *panel, const struct stored_push *push);
