/* The memory that the workers of this instance share: all regions, with a slot for each worker. */
#pragma once

#include "base/region.h"

/* Before the workers are forked. NULL with errno; region_map_destroy() it. */
struct region_map *shared_create(unsigned workers);
