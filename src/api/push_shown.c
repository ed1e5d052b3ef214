#include "push_shown.h"
#include "base/clock.h"
#include "delivery/delivery.h"
#include "domain/device.h"
#include "domain/push_shown.h"
#include "endpoints.h"

struct str api_push_shown(struct task *task, const struct push_body *body,
			  const struct push_stored *stored)
{
	const struct device *device = task_device(task);
	struct display_settings settings =
	    display_settings_of(device, &stored->sleep_set, &stored->dim_set, NULL);
	int64_t since_us;
	bool is_online = delivery_is_online(api_delivery(task), device->id, stored->last_online_us,
					    stored->has_connected, &since_us);
	struct push_shown shown =
	    push_shown_at(&settings, clock_wall_us(), body, stored, is_online, since_us);

	return push_shown_field(&shown, task_arena(task));
}
