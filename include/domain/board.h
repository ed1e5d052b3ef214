/* Boards of panels, by the names that /v0 has for them. A panel does not report its board: the
 * owner chooses it, or an import brings it. */
#pragma once

#include "base/arena.h"

/* Returns NULL, or the fault ("must ..."). */
const char *board_check(struct str name);
