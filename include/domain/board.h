/* Boards of panels, by the names that /v0 has for them. A panel does not report its board: the
 * owner chooses it, or an import brings it. */
#pragma once

#include "base/arena.h"
#include "domain/panel_size.h"

/* Returns NULL, or the fault ("must ..."). */
const char *board_check(struct str name);
/* Returns the size of the board's panel; of an unknown board, or of one for several sizes, the
 * usual one. */
enum panel_size board_size(struct str name);
