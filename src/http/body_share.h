/* The memory that the bodies of a process take, and each caller's share of it.
 *
 * A caller may hold as much as is free: alone one half of all, of n greedy callers each 1/(n+1). So
 * there is always room for one more, and no caller's bodies refuse those of another.
 *
 * One loop a process, so one pot. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct body_share;

/* Before the first byte of a body: the share of this caller (the bytes are copied), which goes with
 * the last body that leaves it. */
struct body_share *body_share_join(struct str caller);

/* Takes memory out of a pot of all_max bytes for a piece of a body; false where the share is used
 * up. */
__attribute__((warn_unused_result)) bool body_share_take(struct body_share *share, size_t bytes,
							 size_t all_max);

/* A body goes, and gives back all that it took. */
void body_share_leave(struct body_share *share, size_t bytes);
