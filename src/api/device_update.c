#include "delivery/delivery.h"
#include "endpoints.h"

/* PATCH /v1/devices/{deviceId} - changes settings; its panel follows at once. */

struct update {
	struct device_change change; /* first: the prologue reads the request into it */
	struct device device;	     /* as it is afterwards */
};

static struct verdict updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, 404, "there is no such device");
	delivery_device_changed(api_delivery(task), update->device.id, update->device.generation);
	return task_reply_record(task, 200, &device_record, &update->device);
}

static void add_text(struct task *task, struct db_parameters *parameters, enum device_field field,
		     struct str text)
{
	if (task_body_has(task, field))
		db_add_text(parameters, text);
	else
		db_add_null(parameters);
}

static void add_int2(struct task *task, struct db_parameters *parameters, enum device_field field,
		     int64_t number)
{
	if (task_body_has(task, field))
		db_add_int2(parameters, (int16_t)number);
	else
		db_add_null(parameters);
}

static void add_bool(struct task *task, struct db_parameters *parameters, enum device_field field,
		     bool value)
{
	if (task_body_has(task, field))
		db_add_bool(parameters, value);
	else
		db_add_null(parameters);
}

static struct verdict begin(struct task *task)
{
	struct update *update = task_state(task);
	const struct device_change *change = &update->change;
	struct db_parameters *parameters = task_parameters(task);

	db_add_id(parameters, task_device(task)->id);
	db_add_id(parameters, task_account_id(task));
	add_text(task, parameters, DEVICE_FIELD_NAME, change->name);
	add_int2(task, parameters, DEVICE_FIELD_BRIGHTNESS, change->brightness);
	add_int2(task, parameters, DEVICE_FIELD_VOLUME, change->volume);
	add_bool(task, parameters, DEVICE_FIELD_AUTO_DIM, change->auto_dim);
	add_text(task, parameters, DEVICE_FIELD_TIMEZONE, change->timezone);
	if (task_body_has(task, DEVICE_FIELD_SCHEDULE_INTERVAL))
		db_add_int4(parameters, (int32_t)change->schedule_interval_s);
	else
		db_add_null(parameters);
	add_bool(task, parameters, DEVICE_FIELD_SLEEP_ENABLED, change->sleep_enabled);
	add_int2(task, parameters, DEVICE_FIELD_SLEEP_START, change->sleep_start_minute);
	add_int2(task, parameters, DEVICE_FIELD_SLEEP_END, change->sleep_end_minute);
	return task_query(task, STATEMENT_DEVICE_UPDATE, &device_record, &update->device, updated);
}

const struct endpoint endpoint_device_update = {
    .name = "device_update",
    .handler = begin,
    .access = &access_api_key,
    .resource = RESOURCE_DEVICE,
    .body = &device_change_record,
    .state_size = sizeof(struct update),
};
