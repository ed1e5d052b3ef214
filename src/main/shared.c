#include "main/shared.h"
#include "base/memory.h"
#include "db/storage.h"
#include "delivery/delivery.h"
#include "main/heartbeat.h"
#include "task/rate.h"
#include "web/web.h"

static const struct region *const regions[] = {
    &change_region,  &cursor_region,  &guess_region,   &heartbeat_region, &rate_region,
    &session_region, &storage_region, &visitor_region, &vitals_region,
};

struct region_map *shared_create(unsigned workers)
{
	return region_map_create(regions, array_length(regions), workers);
}
