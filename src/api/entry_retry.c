#include "api/entries.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/installations/{installationId}/retry - renders an app again whose
 * last render failed, without waiting for the end of its pause. */

enum { RETRY_PAUSE_S = 10 };

static struct step_result entry_retried(struct task *task)
{
	const struct entry_retry_row *row = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	if (row->wait_s > 0) {
		task_add_field(task, STR("Retry-After"),
			       arena_decimal(task_arena(task), (uint64_t)row->wait_s));
		return task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
				 "the app was tried less than %d s ago", RETRY_PAUSE_S);
	}
	if (row->generation > 0)
		delivery_retry(api_delivery(task), row->render_key, row->version_id,
			       task_device(task)->account_id, row->generation);
	return task_reply_empty(task, 200);
}

static struct step_result entry_retry_begin(struct task *task)
{
	statement_entry_retry(task_new_query(task),
			      &(struct entry_retry_parameters){
				  .device_id = task_device(task)->id,
				  .id = task_path_parameter(task, 1),
				  .pause_s = RETRY_PAUSE_S,
			      },
			      task_state(task));
	return task_query(task, entry_retried);
}

ENDPOINT_ENTRY_RETRY(.handler = entry_retry_begin, .state_size = sizeof(struct entry_retry_row));
