#include "api/entries.h"
#include "domain/v0.h"
#include "endpoints.h"
#include "v0_entry.h"

/* GET /v0/devices/{deviceId}/installations/{installationId} - an installation in the form of the
 * older API; GET .../{installationId}/preview - its picture. */

/* ---- one ---- */

struct get {
	struct v0_entry entry;
	struct v0_installation installation;
	struct v0_picture_row picture;
};

static struct step_result v0_installation_found(struct task *task)
{
	const struct get *get = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	return task_reply_record(task, 200, &installation_v0_record, &get->installation);
}

static struct step_result v0_installation_ask(struct task *task)
{
	struct get *get = task_state(task);

	statement_v0_installation_get(task_new_query(task),
				      &(struct v0_installation_get_parameters){
					  task_device(task)->id, task_path_parameter(task, 1)},
				      &get->installation);
	return task_query(task, v0_installation_found);
}

static struct step_result begin_get(struct task *task)
{
	struct get *get = task_state(task);

	return v0_entry_find(task, &get->entry, v0_installation_ask);
}

ENDPOINT_V0_INSTALLATION_GET(.handler = begin_get, .state_size = sizeof(struct get));

/* ---- its picture ---- */

static struct step_result picture_found(struct task *task)
{
	const struct get *get = task_state(task);

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	if (!get->picture.picture.data)
		return task_fail(task, PROBLEM_PICTURE_NOT_FOUND,
				 "the installation has no picture yet");
	return task_reply_tagged(task, STR("image/webp"), get->picture.picture);
}

static struct step_result ask_picture(struct task *task)
{
	struct get *get = task_state(task);

	statement_v0_picture(
	    task_new_query(task),
	    &(struct v0_picture_parameters){task_device(task)->id, task_path_parameter(task, 1)},
	    &get->picture);
	return task_query(task, picture_found);
}

static struct step_result begin_picture(struct task *task)
{
	struct get *get = task_state(task);

	return v0_entry_find(task, &get->entry, ask_picture);
}

ENDPOINT_V0_PREVIEW(.handler = begin_picture, .state_size = sizeof(struct get));
