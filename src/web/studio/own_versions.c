#include "own_versions.h"
#include "api/apps.h"
#include "api/pages.h"
#include "base/limits.h"
#include "domain/studio.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* Versions of an app, for its author: as in the public API, with a session.
 *
 *   GET /web/studio/{appId}/versions                        all of them, of a public app, too, and
 *                                                           whether they can run
 *   POST /web/studio/{appId}/versions                       submits one for review
 *   DELETE /web/studio/{appId}/versions/{versionId}         removes one that is not deployed
 *   GET /web/studio/{appId}/versions/{versionId}/script     the script of one
 *   POST /web/studio/{appId}/deploy                         deploys or rolls back */

static const struct record_field own_version_fields[] = {
    RECORD_ROW(struct own_version_list_row, app_version, &app_version_record, .is_shown = true),
    RECORD_JSON(struct own_version_list_row, verdict, .name = "check"),
};
const struct record own_version_record = RECORD(struct own_version_list_row, own_version_fields);

static void ask_versions(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_own_version_list(
	    query, &(struct own_version_list_parameters){.app_id = task_app(task)->id}, range);
}

static const struct task_list list = {
    .letter = 'V',
    .ask = ask_versions,
    .order = &own_version_list_order,
    .may_be_large = true,
    .record = &own_version_record,
};

static struct step_result list_versions(struct task *task)
{
	return task_reply_list(task, &list);
}

/* ---- removal ---- */

static struct step_result fail_deployed(struct task *task)
{
	return task_fail(task, PROBLEM_VERSION_CHANGED,
			 "this version is deployed; deploy another version first");
}

/* A version may have very many renders: these rows are removed in portions, and then the version.
 */
enum { RENDERS_PORTION = 1000 };

struct removal {
	struct id id;
	union {
		struct own_version_renders_row portion;
		struct own_version_remove_row row;
	};
};

static struct step_result removed(struct task *task)
{
	const struct removal *removal = task_state(task);
	const struct own_version_remove_row *row = &removal->row;

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "the app has no such version");
	if (!row->is_removed)
		return fail_deployed(task);
	api_tell_author(task, task_app(task));
	if (row->is_pending)
		api_tell_pages(task, (struct id){0}, STR("reviews"));
	api_tell_pages(task, (struct id){0}, STR("admin"));
	return task_reply_empty(task, 200);
}

static struct step_result remove_refused(struct task *task)
{
	return task_constraint_error(task) == CONSTRAINT_VERSION_DEPLOYED
		   ? fail_deployed(task)
		   : task_fail_constraint(task);
}

static struct step_result remove_renders(struct task *task);

static struct step_result portion_removed(struct task *task)
{
	struct removal *removal = task_state(task);

	if (removal->portion.removed == RENDERS_PORTION)
		return remove_renders(task);
	statement_own_version_remove(task_new_query(task),
				     &(struct own_version_remove_parameters){
					 .app_id = task_app(task)->id,
					 .id = removal->id,
					 .actor_id = task_account_id(task),
					 .address = web_address(task),
					 .session_id = web_session_id(task),
				     },
				     &removal->row);
	return task_query(task, removed);
}

static struct step_result remove_renders(struct task *task)
{
	struct removal *removal = task_state(task);

	statement_own_version_renders(task_new_query(task),
				      &(struct own_version_renders_parameters){
					  .app_id = task_app(task)->id,
					  .id = removal->id,
					  .row_limit = RENDERS_PORTION,
				      },
				      &removal->portion);
	return task_query(task, portion_removed);
}

static struct step_result remove_version(struct task *task)
{
	struct removal *removal = task_state(task);

	if (!id_parse(task_path_parameter(task, 1), &removal->id))
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "the app has no such version");
	return remove_renders(task);
}

/* ---- the script ---- */

static struct step_result script_found(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "the app has no such version");
	return task_reply_record(task, 200, &app_script_record, task_state(task));
}

static struct step_result get_script(struct task *task)
{
	struct id id;

	if (!id_parse(task_path_parameter(task, 1), &id))
		return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "the app has no such version");
	statement_app_script(
	    task_new_query(task),
	    &(struct app_script_parameters){.app_id = task_app(task)->id, .id = id},
	    task_state(task));
	return task_query(task, script_found);
}

ENDPOINT_OWN_VERSION_DEPLOY(.handler = api_deploy_version, .state_size = sizeof(struct api_deploy),
			    .refused = api_fail_deploy, .finish = api_deploy_finish);
ENDPOINT_OWN_VERSION_LIST(.handler = list_versions);
ENDPOINT_OWN_VERSION_SCRIPT(.handler = get_script, .state_size = sizeof(struct app_script));
ENDPOINT_OWN_VERSION_SUBMIT(.handler = api_upload_version, .state_size = sizeof(struct api_upload),
			    .refused = api_upload_refused);
ENDPOINT_OWN_VERSION_REMOVE(.handler = remove_version, .state_size = sizeof(struct removal),
			    .refused = remove_refused);
