#include "api/apps.h"
#include "api/pages.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "endpoints.h"

/* POST /v1/apps/{appId}/upload - submits a version for review. If two uploads race for a name, or
 * to be the version in review, the database's constraints refuse the second: see the statement.
 */

static struct step_result uploaded(struct task *task)
{
	const struct api_upload *upload = task_state(task);

	delivery_version_uploaded(api_delivery(task), upload->version.id);
	api_tell_author(task, task_app(task));
	api_tell_pages(task, (struct id){0}, STR("reviews"));
	return task_reply_record(task, 201, &app_version_record, &upload->version);
}

struct step_result api_fail_version(struct task *task)
{
	switch (task_constraint_error(task)) {
	case CONSTRAINT_VERSION_NAME_USED:
		return task_fail(task, PROBLEM_VERSION_NAME_USED,
				 "the app already has a version of this name; choose a name that "
				 "was never used");
	case CONSTRAINT_REVIEW_PENDING:
		return task_fail(task, PROBLEM_REVIEWED_VERSION_PENDING,
				 "another version of the app awaits review");
	case CONSTRAINT_TOO_MANY_VERSIONS:
		return task_fail(task, PROBLEM_VERSIONS_TOO_MANY,
				 "the app already has 10000 versions, the maximum");
	case CONSTRAINT_APP_GONE:
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	default:
		return task_fail_constraint(task);
	}
}

static struct step_result fail_pending(struct task *task)
{
	const struct api_upload *upload = task_state(task);
	struct str pending = upload->pending.name;

	/* Another request has just reviewed that version. */
	if (task_row_count(task) == 0)
		return api_fail_version(task);
	return task_fail(task, PROBLEM_REVIEWED_VERSION_PENDING,
			 "version %.*s of the app awaits review, and only one version may at a "
			 "time; upload the next one after the review",
			 STR_ARG(pending));
}

static struct step_result fail_full(struct task *task)
{
	const struct api_upload *upload = task_state(task);

	return api_fail_account_bytes(task, &upload->room);
}

static struct step_result made_room(struct task *task)
{
	struct api_upload *upload = task_state(task);

	return api_account_room_was_made(task, &upload->room)
		   ? api_upload_version(task)
		   : api_ask_account_bytes(task, &upload->room, fail_full);
}

struct step_result api_upload_refused(struct task *task)
{
	struct api_upload *upload = task_state(task);

	if (task_constraint_error(task) == CONSTRAINT_TOO_MANY_BYTES)
		return api_make_account_room(task, &upload->room, made_room);
	if (task_constraint_error(task) != CONSTRAINT_REVIEW_PENDING)
		return api_fail_version(task);
	statement_app_version_pending(task_new_query(task),
				      &(struct app_version_pending_parameters){task_app(task)->id},
				      &upload->pending);
	return task_query(task, fail_pending);
}

struct step_result api_upload_version(struct task *task)
{
	struct api_upload *upload = task_state(task);

	statement_app_version_upload(task_new_query(task),
				     &(struct app_version_upload_parameters){
					 .id = id_new(),
					 .app_id = task_app(task)->id,
					 .name = upload->body.version,
					 .script_language = upload->body.script_language,
					 .script_content = upload->body.script_content,
					 .checksum = str_from(upload->body.checksum),
				     },
				     &upload->version);
	return task_query(task, uploaded);
}

ENDPOINT_APP_VERSION_UPLOAD(.handler = api_upload_version, .state_size = sizeof(struct api_upload),
			    .refused = api_upload_refused);
