#include "endpoints.h"
#include "task/list.h"

/* GET /v1/device-names - the names of the account's devices, oldest first. */

static void ask_names(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_device_list(query,
			      &(struct device_list_parameters){
				  .account_id = task_account_id(task),
				  .chosen_ids = task_key_devices(task),
			      },
			      range);
}

static const struct record_field name_fields[] = {
    RECORD_ID(struct device, id, .name = "id"),
    RECORD_STR(struct device, name, .name = "name"),
};
static const struct record name_record = RECORD(struct device, name_fields);
static const struct task_list names = {
    .letter = 'd',
    .ask = ask_names,
    .order = &device_list_order,
    .unshown_columns = 1, /* created_at */
    .record = &name_record,
};

static struct step_result reply_names(struct task *task)
{
	return task_reply_list(task, &names);
}

ENDPOINT_DEVICE_NAMES(.handler = reply_names);
