#include "main/shared.h"
#include "base/memory.h"
#include "db/background.h"
#include "db/hints.h"
#include "db/storage.h"
#include "db/timeline.h"
#include "db/writers.h"
#include "delivery/delivery.h"
#include "events/events.h"
#include "http/tls.h"
#include "main/heartbeat.h"
#include "metric/errors.h"
#include "metric/metric.h"
#include "render/health.h"
#include "task/rate.h"
#include "task/read_stamps.h"
#include "web/web.h"

static const struct region *const regions[] = {
    &background_region, &balance_region,       &change_region,	       &cursor_region,
    &error_region,	&event_region,	       &failed_attempt_region, &heartbeat_region,
    &hint_region,	&instance_region,      &metric_region,	       &rate_region,
    &read_region,	&render_health_region, &session_region,	       &storage_region,
    &http_tls_region,	&timeline_region,      &visitor_region,	       &watch_region,
    &writer_region,
};

struct region_map *shared_create(unsigned workers, int *ret_fd)
{
	return region_map_create_file(regions, array_length(regions), workers, ret_fd);
}

struct region_map *shared_adopt(int fd, unsigned workers, int *ret_fd)
{
	return region_map_adopt(fd, regions, array_length(regions), workers, ret_fd);
}
