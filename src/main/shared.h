/* Memory that the workers of this instance share: all regions, with a slot for each worker
 * (config_worker_slots()). */
#pragma once

#include "base/region.h"

/* Makes it, before the workers are forked. Returns NULL with errno on failure. Free with
 * region_map_destroy(), and close *ret_fd. */
struct region_map *shared_create(unsigned workers, int *ret_fd);
/* Takes the memory of another program: see region_map_adopt(). */
struct region_map *shared_adopt(int fd, unsigned workers, int *ret_fd);
