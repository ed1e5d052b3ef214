#include "endpoints.h"
#include "task/list.h"

/* GET /v1/devices - the account's devices, oldest first.
 * GET /v1/device-names - only their names. */

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_device_part(
	    query,
	    &(struct device_part_parameters){.account_id = task_account_id(task),
					     .chosen_ids = task_key_devices(task),
					     .after_created_at = range->after.number,
					     .after_id = range->after.id,
					     .row_limit = range->limit},
	    NULL);
}

static void ask_short(struct task *task, struct db_query *query)
{
	/* The batched read of several callers takes whole accounts only. */
	if (task_key_devices(task).count)
		ask_part(task, query, &(struct list_range){.limit = LIMIT_LIST_SHORT + 1});
	else
		statement_device_list(
		    query, &(struct device_list_parameters){.account_id = task_account_id(task)},
		    NULL);
}

static struct list_position position(const void *row)
{
	const struct device_part_row *part = row;

	return (struct list_position){.number = part->created_at, .id = part->device_shown.id};
}

static const struct task_list list = {
    .letter = 'd',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &device_shown_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

static const struct record_field name_fields[] = {
    RECORD_ID(struct device, id, .name = "id"),
    RECORD_STR(struct device, name, .name = "name"),
};
static const struct record name_record = RECORD(struct device, name_fields);
static const struct task_list names = {
    .letter = 'd',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &name_record,
    .position = position,
};

static struct step_result begin_names(struct task *task)
{
	return task_reply_list(task, &names);
}

const struct endpoint endpoint_device_names = {
    .handler = begin_names,
    ENDPOINT_DEVICE_NAMES,
};

const struct endpoint endpoint_device_list = {
    .handler = begin,
    .kept_as = READ_DEVICES,
    ENDPOINT_DEVICE_LIST,
};
