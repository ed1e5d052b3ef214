#include "domain/review.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/reviews/{versionId} - a version as reviewers see it, before its review and after. GET
 * /web/reviews/{versionId}/scripts - its script, and the deployed one. */

static struct step_result review_get_fail(struct task *task)
{
	return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "there is no such version");
}

static struct step_result review_get_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return review_get_fail(task);
	return task_reply_record(task, 200, &review_record, task_state(task));
}

static struct step_result get(struct task *task)
{
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return review_get_fail(task);
	statement_review_get(task_new_query(task),
			     &(struct review_get_parameters){
				 .id = id,
				 .account_id = task_account_id(task),
			     },
			     task_state(task));
	return task_query(task, review_get_found);
}

static struct step_result scripts_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return review_get_fail(task);
	return task_reply_record(task, 200, &review_scripts_record, task_state(task));
}

static struct step_result get_scripts(struct task *task)
{
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return review_get_fail(task);
	statement_review_scripts(task_new_query(task), &(struct review_scripts_parameters){id},
				 task_state(task));
	return task_query(task, scripts_found);
}

ENDPOINT_REVIEW_GET(.handler = get, .state_size = sizeof(struct review));
ENDPOINT_REVIEW_SCRIPTS(.handler = get_scripts, .state_size = sizeof(struct review_scripts));
