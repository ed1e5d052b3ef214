#include "domain/device_reference.h"
#include "task_private.h"

/* The operator acts for the owner, unless the request names an account. */
static bool belongs(struct task *task, struct id account_id)
{
	if (task->is_of_operator && id_is_none(task->account_id))
		task->account_id = account_id;
	return id_equal(task->account_id, account_id);
}

/* ---- device ---- */

static struct verdict fail_no_device(struct task *task)
{
	return task_fail(task, 404, "there is no such device");
}

static struct verdict on_device_found(struct task *task)
{
	char text[ID_TEXT_LENGTH + 1];

	if (task->row_count == 0)
		return fail_no_device(task);
	id_format(task->device.id, text);
	task->request->log_device = arena_copy(task_arena(task), str_from(text));
	if (!belongs(task, task->device.account_id))
		return task_fail(task, 403, "the device belongs to another account");
	return task_next_stage(task);
}

static struct verdict find_device(struct task *task)
{
	struct device_reference reference = device_reference_parse(task_path_parameter(task, 0));
	struct db_query *query = task_new_query(task);
	struct str mac;

	switch (reference.kind) {
	case DEVICE_REFERENCE_ID:
		statement_device_by_id(query, &(struct device_by_id_parameters){reference.id},
				       &task->device);
		break;
	case DEVICE_REFERENCE_SERIAL:
		statement_device_by_serial(
		    query,
		    &(struct device_by_serial_parameters){reference.serial, task->account_id},
		    &task->device);
		break;
	case DEVICE_REFERENCE_MAC:
		mac = (struct str){(const char *)reference.mac, sizeof(reference.mac)};
		mac = arena_copy(task_arena(task), mac);
		statement_device_by_mac(query,
					&(struct device_by_mac_parameters){mac, task->account_id},
					&task->device);
		break;
	default:
		return fail_no_device(task);
	}
	return task_query(task, on_device_found);
}

/* ---- app ---- */

static struct verdict on_app_found(struct task *task)
{
	if (task->row_count == 0)
		return task_fail(task, 404, "there is no such app");
	if (!belongs(task, task->app.account_id))
		return task_fail(task, 403, "the app belongs to another account");
	return task_next_stage(task);
}

static struct verdict find_app(struct task *task)
{
	struct db_query *query = task_new_query(task);
	struct str name = task_path_parameter(task, 0);
	struct id id;

	if (id_parse(name, &id))
		statement_app_by_id(query, &(struct app_by_id_parameters){id}, &task->app);
	else
		statement_app_by_slug(
		    query, &(struct app_by_slug_parameters){task->account_id, name}, &task->app);
	return task_query(task, on_app_found);
}

struct verdict task_find_resource(struct task *task)
{
	return task->endpoint->resource == RESOURCE_DEVICE ? find_device(task) : find_app(task);
}
