#include "db/db.h"
#include "endpoints.h"
#include "task/service.h"

/* GET /livez - this worker answers. GET /readyz - this worker can do its work: it has the database,
 * which was migrated before the workers started and has room, and the instance is not stopping. */

static struct verdict live(struct task *task)
{
	return task_reply(task, 200, STR("text/plain; charset=utf-8"), STR("ok\n"));
}

static struct verdict ready(struct task *task)
{
	struct service *service = task_service(task);

	if (service->is_draining)
		return task_fail_busy(task, 1, "this instance is going down");
	if (!db_is_up(service->db))
		return task_fail_busy(task, 1, "the database cannot be reached");
	if (!storage_probe_says_room(service))
		return task_fail_busy(task, 1, "the database has no room to store anything");
	if (!db_hints_are_up(service->db))
		return task_fail_busy(task, 1, "the database's notifications cannot be heard");
	return task_reply(task, 200, STR("text/plain; charset=utf-8"), STR("ok\n"));
}

const struct endpoint endpoint_livez = {.name = "livez", .handler = live};
const struct endpoint endpoint_readyz = {.name = "readyz", .handler = ready};
