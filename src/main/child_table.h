/* The table of children, in the order in which they are started. */
#pragma once

#include "main/child.h"

enum { CHILD_KIND_COUNT = 6 };
extern const struct child_kind *const child_table[CHILD_KIND_COUNT];
