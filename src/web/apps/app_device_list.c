#include "api/app_name.h"
#include "domain/studio.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/apps/{appId}/devices - the account's devices and where the app is installed on them,
 * oldest first. For an app that is gone, or may no longer be installed, lists existing
 * installations. */

static void ask_devices(struct task *task, struct db_query *query, const struct list_range *range)
{
	struct app_name name = app_name_of(task_path_parameter(task, 0));

	statement_app_device_list(query,
				  &(struct app_device_list_parameters){
				      .account_id = task_account_id(task),
				      .app_id = name.id,
				      .slug = name.slug,
				  },
				  range);
}

static const struct task_list list = {
    .letter = 'e',
    .ask = ask_devices,
    .order = &app_device_list_order,
    .record = &app_device_record,
};

static struct step_result app_device_list_begin(struct task *task)
{
	return task_reply_list(task, &list);
}

ENDPOINT_APP_DEVICE_LIST(.handler = app_device_list_begin);
