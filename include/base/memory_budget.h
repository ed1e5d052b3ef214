/* Limits the memory of objects of one kind, and each owner's share of it.
 *
 * An owner may hold as much as is free: a single owner gets one half of all, and each further owner
 * one half of what the others have left. If n owners take as much as they can, each ends up with
 * 1/(n+1). So there is always some room for one more. */
#pragma once

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

/* A zeroed budget is valid and empty. Once all shares are left, it owns no memory. */
struct memory_budget {
	struct map shares; /* private */
	size_t bytes;	   /* private: bytes that are taken */
};

struct memory_share;

/* Returns the share of this owner, whose bytes are copied. Call it once for each object, before the
 * object takes its first byte. The share is freed when its last object calls memory_budget_leave().
 */
struct memory_share *memory_budget_join(struct memory_budget *budget, struct str owner);

/* Reserves bytes from a budget of all_max bytes. Returns false, and reserves nothing, if fewer
 * bytes are free or if the owner already holds more than would remain free. Release with
 * memory_budget_leave(). */
__attribute__((warn_unused_result)) bool memory_budget_take(struct memory_share *share,
							    size_t bytes, size_t all_max);

/* Gives back all bytes that an object took. The object must not use the share afterwards. */
void memory_budget_leave(struct memory_share *share, size_t bytes);
