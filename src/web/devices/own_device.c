#include "own_device.h"
#include "base/memory.h"
#include "task/list.h"
#include "web/endpoints.h"

/* GET /web/devices and GET /web/devices/{deviceId} - devices as their owner's pages show them. */

static const struct record_field own_device_fields[] = {
    RECORD_ROW(struct own_device_get_row, device, &device_full_record, .is_shown = true),
    RECORD_ROW(struct own_device_get_row, device_more, &device_more_record, .is_shown = true),
};
const struct record own_device_record = RECORD(struct own_device_get_row, own_device_fields);

struct delivery *web_delivery(struct task *task)
{
	return web_service_of(task)->api.delivery;
}

/* ---- one ---- */

struct step_result own_device_fail(struct task *task)
{
	return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
}

static struct step_result found(struct task *task)
{
	const struct own_device *own = task_state(task);

	if (task_row_count(task) == 0)
		return own_device_fail(task);
	return task_reply_device(task, &own_device_record, &own->row,
				 own->row.device.settings_revision);
}

void own_device_ask(struct task *task)
{
	struct own_device *own = task_state(task);

	statement_own_device_get(task_new_query(task),
				 &(struct own_device_get_parameters){
				     .id = task_device(task)->id,
				     .account_id = task_account_id(task),
				 },
				 &own->row);
}

struct step_result own_device_reply(struct task *task)
{
	own_device_ask(task);
	return task_query(task, found);
}

const struct endpoint endpoint_own_device_get = {
    .handler = own_device_reply,
    .state_size = sizeof(struct own_device),
    ENDPOINT_OWN_DEVICE_GET,
};

/* ---- all ---- */

/* The three statements have equal rows, shown by one record. */
_Static_assert(sizeof(struct own_device_list_row) == sizeof(struct own_device_get_row) &&
		   sizeof(struct own_device_part_row) == sizeof(struct own_device_get_row),
	       "the rows are alike");

static void ask_short(struct task *task, struct db_query *query)
{
	statement_own_device_list(
	    query, &(struct own_device_list_parameters){.account_id = task_account_id(task)}, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_own_device_part(
	    query,
	    &(struct own_device_part_parameters){.account_id = task_account_id(task),
						 .after_created_at = range->after.number,
						 .after_id = range->after.id,
						 .row_limit = range->limit},
	    NULL);
}

static struct list_position position(const void *row)
{
	const struct own_device_part_row *part = row;

	return (struct list_position){.number = part->device_more.created_at_us,
				      .id = part->device.id};
}

static const struct task_list list = {
    .letter = 'D',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .is_compressed = true,
    .record = &own_device_record,
    .position = position,
};

static struct step_result reply_list(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_own_device_list = {
    .handler = reply_list,
    ENDPOINT_OWN_DEVICE_LIST,
};
