#include "api/app_name.h"
#include "domain/studio.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/apps/{appId}/devices - the account's devices and where the app is installed on them,
 * oldest first. For an app that is gone, or may no longer be installed, lists existing
 * installations. */

static void ask_short(struct task *task, struct db_query *query)
{
	struct app_name name = app_name_of(task_path_parameter(task, 0));

	statement_app_device_list(query,
				  &(struct app_device_list_parameters){
				      .account_id = task_account_id(task),
				      .app_id = name.id,
				      .slug = name.slug,
				  },
				  NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	struct app_name name = app_name_of(task_path_parameter(task, 0));

	statement_app_device_part(query,
				  &(struct app_device_part_parameters){
				      .account_id = task_account_id(task),
				      .app_id = name.id,
				      .slug = name.slug,
				      .after_created_at = range->after.number,
				      .after_id = range->after.id,
				      .row_limit = range->limit,
				  },
				  NULL);
}

static struct list_position position(const void *row)
{
	const struct app_device *device = row;

	return (struct list_position){.number = device->created_at_us, .id = device->id};
}

static const struct task_list list = {
    .letter = 'e',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &app_device_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_app_device_list = {
    .handler = begin,
    ENDPOINT_APP_DEVICE_LIST,
};
