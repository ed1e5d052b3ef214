#include "api/entries.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/installation.h"
#include "endpoints.h"
#include "v0_entry.h"

/* DELETE /v1/devices/{deviceId}/installations/{installationId} - removes an installation. DELETE
 * /v0/... - the same; the path may have its ID without dashes. */

/* Limit of attempts while others change the device: each failed attempt means that another change
 * succeeded. */
enum { TRIES = 8 };

struct removal {
	struct v0_entry entry;
	struct installation_get_row found;
	struct installation_delete_row removed;
	int64_t expected_generation; /* 0: any */
	unsigned tries;
};

static task_step installation_delete_begin;

static struct step_result installation_delete_reply(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result deleted(struct task *task)
{
	struct removal *removal = task_state(task);

	if (task_row_count(task) == 0 && !removal->expected_generation)
		return api_fail_no_entry(task);
	if (task_row_count(task) == 0) {
		if (++removal->tries == TRIES)
			return task_fail_busy(task, PROBLEM_DEVICE_BUSY, 1,
					      "the device keeps changing, try again");
		return installation_delete_begin(task);
	}
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				removal->removed.generation);
	return api_note_change(task, "entry.remove", task_path_parameter(task, 1),
			       installation_delete_reply);
}

static struct step_result remove_it(struct task *task)
{
	struct removal *removal = task_state(task);

	statement_installation_delete(task_new_query(task),
				      &(struct installation_delete_parameters){
					  .device_id = task_device(task)->id,
					  .id = task_path_parameter(task, 1),
					  .expected_generation = removal->expected_generation,
				      },
				      &removal->removed);
	return task_query(task, deleted);
}

static struct step_result installation_delete_found(struct task *task)
{
	struct removal *removal = task_state(task);
	const struct installation_get_row *row = &removal->found;
	struct step_result answer;

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	task_tag_target(
	    task, installation_revision(&row->entry_options, row->settings_hash, row->expires_at),
	    STR(""));
	if (task_fails_precondition(task, &answer))
		return answer;
	if (task_expected_revision(task))
		removal->expected_generation = row->generation;
	return remove_it(task);
}

static struct step_result installation_delete_begin(struct task *task)
{
	const struct http_request *request = task_request(task);
	struct removal *removal = task_state(task);

	if (!http_request_field(request, STR("if-match")).data &&
	    !http_request_field(request, STR("if-none-match")).data)
		return remove_it(task);
	statement_installation_get(task_new_query(task),
				   &(struct installation_get_parameters){
				       .device_id = task_device(task)->id,
				       .id = task_path_parameter(task, 1),
				   },
				   &removal->found);
	return task_query(task, installation_delete_found);
}

ENDPOINT_INSTALLATION_DELETE(.handler = installation_delete_begin,
			     .state_size = sizeof(struct removal));

static struct step_result begin_v0(struct task *task)
{
	struct removal *removal = task_state(task);

	return v0_entry_find(task, &removal->entry, installation_delete_begin);
}

ENDPOINT_V0_INSTALLATION_DELETE(.handler = begin_v0, .state_size = sizeof(struct removal));
