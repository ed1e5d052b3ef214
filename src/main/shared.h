/* The memory that the workers of this instance share: all regions, with a slot for each worker
 * (config_worker_slots()). */
#pragma once

#include "base/region.h"

/* Before the workers are forked. NULL with errno; region_map_destroy() it, and
 * close *ret_fd. */
struct region_map *shared_create(unsigned workers, int *ret_fd);
/* The same with what another program has made: see region_map_adopt(). */
struct region_map *shared_adopt(int fd, unsigned workers, int *ret_fd);
