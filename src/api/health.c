#include "render/health.h"
#include "db/db.h"
#include "db/storage.h"
#include "endpoints.h"
#include "http/server.h"
#include "task/service.h"

#include <stdatomic.h>

/* GET /livez - this worker answers. GET /readyz - this worker can do its work: the database is
 * available (it was migrated before the workers started) and has free space, all workers have begun
 * to serve, and the instance is not stopping. */

/* Forbids caching: an answer is true only now. */
static void let_nobody_store(struct task *task)
{
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
}

static struct step_result live(struct task *task)
{
	let_nobody_store(task);
	return task_reply(task, 200, STR("text/plain; charset=utf-8"), STR("ok\n"));
}

/* The reason is public, so it has no names or addresses. */
static struct step_result health_fail(struct task *task, const char *what,
				      enum unavailable unavailable)
{
	const char *colon = unavailable == UNAVAILABLE_NOT ? "" : ": ";
	const char *why = unavailable == UNAVAILABLE_NOT ? "" : unavailable_text(unavailable);

	return task_fail_busy(task, PROBLEM_DATABASE_UNAVAILABLE, 1, "%s%s%s", what, colon, why);
}

/* A missing renderer or a full disk does not make the instance unready: the rest of the API works.
 */
static struct step_result tell_ready(struct task *task, const char *problem)
{
	struct str text = STR("ok\n");

	if (problem)
		text = arena_printf(task_arena(task), "ok, but %s\n", problem);
	return task_reply(task, 200, STR("text/plain; charset=utf-8"), text);
}

/* Panels of another instance that ends would find no room here. */
static const char *connections_problem(struct task *task)
{
	enum { SHORT_PARTS = 8 };
	const struct http_server *http = task_service(task)->http;
	unsigned max = 0;
	unsigned left = http ? http_server_connections_left(http, &max) : 0;

	if (!http || left >= max / SHORT_PARTS)
		return NULL;
	return arena_printf(task_arena(task),
			    "a worker has room for only %u more connections of %u", left, max)
	    .data;
}

static struct step_result ready(struct task *task)
{
	struct service *service = task_service(task);
	const char *problem;

	let_nobody_store(task);
	if (service->is_draining)
		return task_fail_busy(task, PROBLEM_SERVER_STOPPING, 1,
				      "this instance is shutting down");
	if (!atomic_load(service->is_instance_ready))
		return task_fail_busy(task, PROBLEM_SERVER_STARTING, 1,
				      "this instance is starting");
	/* A PostgreSQL that ended because its disk is full does not answer. */
	if (!storage_probe_says_room(service) ||
	    (!db_is_up(service->db) && storage_has_no_room(db_storage(service->db))))
		return task_fail_busy(task, PROBLEM_DATABASE_FULL, 1,
				      "the database has no room to store anything");
	if (!db_is_up(service->db))
		return health_fail(task, "the database cannot be reached",
				   db_unavailable(service->db));
	if (!db_hints_are_up(service->db))
		return health_fail(task, "the database's notifications do not arrive",
				   db_hints_unavailable(service->db));
	if (db_is_read_only(service->db))
		return tell_ready(task, "the database is read-only");
	if (!storage_takes_pictures(db_storage(service->db)))
		return tell_ready(task, STORAGE_PICTURE_PROBLEM);
	problem = connections_problem(task);
	if (!problem)
		problem = render_health_any_problem(api_service(task)->render_health);
	return tell_ready(task, problem);
}

const struct endpoint endpoint_livez = {
    .name = "livez",
    .handler = live,
    .allows_other_origins = true,
    .is_for_operator = true,
};

const struct endpoint endpoint_readyz = {
    .name = "readyz",
    .handler = ready,
    .allows_other_origins = true,
    .is_for_operator = true,
};
