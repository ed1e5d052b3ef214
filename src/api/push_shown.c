#include "push_shown.h"
#include "base/clock.h"
#include "delivery/delivery.h"
#include "domain/device.h"
#include "domain/push_shown.h"
#include "endpoints.h"
#include "plan_order.h"

struct str api_push_shown(struct task *task, const struct push_body *body,
			  const struct push_stored *stored)
{
	const struct device *device = task_device(task);
	struct planned *planned = arena_alloc(task_arena(task), sizeof(*planned));
	int64_t since_us;
	bool is_online = delivery_is_online(api_delivery(task), device->id, stored->last_online_us,
					    stored->has_connected, &since_us);
	struct push_shown shown;

	api_read_plan(task, device, &stored->sleep_set, &stored->dim_set, STR(""), planned);
	shown =
	    push_shown_at(&planned->settings, clock_wall_us(), body, stored, is_online, since_us);
	return push_shown_field(&shown, task_arena(task));
}
