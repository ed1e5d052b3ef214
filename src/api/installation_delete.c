#include "delivery/delivery.h"
#include "endpoints.h"

/* DELETE /v1/devices/{deviceId}/installations/{installationId} - removes an installation; /v0 has
 * the same. */

struct removal {
	struct verdict refusal; /* the answer to a condition that does not hold */
	struct installation_exists_row found;
	struct installation_delete_row removed;
};

static struct verdict fail_no_installation(struct task *task)
{
	return task_fail(task, 404, "the device has no such installation");
}

static struct verdict deleted(struct task *task)
{
	const struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return fail_no_installation(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				removal->removed.generation);
	return task_reply_empty(task, 200);
}

static struct verdict refused(struct task *task)
{
	const struct removal *removal = task_state(task);

	return removal->found.exists ? removal->refusal : fail_no_installation(task);
}

static struct verdict begin(struct task *task)
{
	struct removal *removal = task_state(task);
	struct db_query *query = task_new_query(task);
	struct id device_id = task_device(task)->id;
	struct str id = task_path_parameter(task, 1);

	/* A condition that does not hold counts only if there is something to remove. */
	if (task_fails_precondition(task, &removal->refusal)) {
		statement_installation_exists(
		    query, &(struct installation_exists_parameters){device_id, id},
		    &removal->found);
		return task_query(task, refused);
	}
	statement_installation_delete(query,
				      &(struct installation_delete_parameters){
					  .device_id = device_id,
					  .id = id,
				      },
				      &removal->removed);
	return task_query(task, deleted);
}

const struct endpoint endpoint_installation_delete = {
    .handler = begin,
    .state_size = sizeof(struct removal),
    ENDPOINT_INSTALLATION_DELETE,
};

const struct endpoint endpoint_v0_installation_delete = {
    ENDPOINT_V0_INSTALLATION_DELETE,
};
