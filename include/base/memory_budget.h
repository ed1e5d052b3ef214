/* The memory that things of one kind take, and each owner's share of it.
 *
 * An owner may hold as much as is free: alone one half of all, and each further one half of what
 * the others have left; of n that go on taking each comes to hold 1/(n+1). So there is always some
 * room for one more. */
#pragma once

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

/* A zeroed one is valid and empty. Once everything has left, it holds nothing. */
struct memory_budget {
	struct map shares; /* private */
	size_t bytes;	   /* private: that are taken */
};

struct memory_share;

/* Before a thing takes its first byte: the share of this owner (the bytes are copied), which goes
 * with the last thing that leaves it. */
struct memory_share *memory_budget_join(struct memory_budget *budget, struct str owner);

/* Reserves bytes from a budget of all_max bytes. Returns false, and reserves nothing, if fewer
 * bytes are free or if the owner already holds more than would remain free. Release with
 * memory_budget_leave(). */
__attribute__((warn_unused_result)) bool memory_budget_take(struct memory_share *share,
							    size_t bytes, size_t all_max);

/* A thing goes, and gives back all that it took. */
void memory_budget_leave(struct memory_share *share, size_t bytes);
