#include "domain/device.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/timezones - the time zones that the database knows, which are those that a device can
 * have. */

static struct step_result found(struct task *task)
{
	return task_reply_record(task, 200, &timezone_names_record, task_state(task));
}

static struct step_result begin(struct task *task)
{
	statement_timezone_list(task_new_query(task), task_state(task));
	return task_query(task, found);
}

const struct endpoint endpoint_timezone_list = {
    .handler = begin,
    .state_size = sizeof(struct timezone_names),
    ENDPOINT_TIMEZONE_LIST,
};
