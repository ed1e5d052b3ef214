#include "domain/device_reference.h"
#include "task_private.h"

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
	if (!id_equal(task->device.account_id, task->account_id))
		return task_fail(task, 403, "the device belongs to another account");
	return task_continue(task, task_prologue);
}

static struct verdict find_device(struct task *task)
{
	struct db_parameters *parameters;
	struct device_reference reference;
	enum statement statement;

	reference = device_reference_parse(task_path_parameter(task, 0));
	parameters = task_parameters(task);
	switch (reference.kind) {
	case DEVICE_REFERENCE_ID:
		db_add_id(parameters, reference.id);
		statement = STATEMENT_DEVICE_BY_ID;
		break;
	case DEVICE_REFERENCE_SERIAL:
		db_add_text(parameters, reference.serial);
		statement = STATEMENT_DEVICE_BY_SERIAL;
		break;
	case DEVICE_REFERENCE_MAC:
		db_add_bytes(parameters,
			     arena_copy(task_arena(task), (struct str){(const char *)reference.mac,
								       sizeof(reference.mac)}));
		statement = STATEMENT_DEVICE_BY_MAC;
		break;
	default:
		return fail_no_device(task);
	}
	return task_query(task, statement, &device_record, &task->device, on_device_found);
}

/* ---- app ---- */

static const struct record_field app_fields[] = {
    RECORD_ID(struct task_app, id, .column = "id"),
    RECORD_ID(struct task_app, account_id, .column = "account_id"),
    RECORD_BOOL(struct task_app, is_private, .column = "is_private"),
};
static const struct record app_record = RECORD(app_fields);

static struct verdict on_app_found(struct task *task)
{
	if (task->row_count == 0)
		return task_fail(task, 404, "there is no such app");
	if (!id_equal(task->app.account_id, task->account_id))
		return task_fail(task, 403, "the app belongs to another account");
	return task_continue(task, task_prologue);
}

static struct verdict find_app(struct task *task)
{
	struct db_parameters *parameters = task_parameters(task);
	struct str name = task_path_parameter(task, 0);
	enum statement statement = STATEMENT_APP_BY_SLUG;
	struct id id;

	if (id_parse(name, &id)) {
		db_add_id(parameters, id);
		statement = STATEMENT_APP_BY_ID;
	} else {
		db_add_text(parameters, name);
	}
	return task_query(task, statement, &app_record, &task->app, on_app_found);
}

struct verdict task_find_resource(struct task *task)
{
	return task->endpoint->resource == RESOURCE_DEVICE ? find_device(task) : find_app(task);
}
