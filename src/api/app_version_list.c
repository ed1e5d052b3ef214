#include "api/apps.h"
#include "endpoints.h"
#include "task/list.h"

/* GET /v1/apps/{appId}/versions - the versions of a private app, newest first. */

static void ask_short(struct task *task, struct db_query *query)
{
	statement_app_version_list(
	    query, &(struct app_version_list_parameters){.app_id = task_app(task)->id}, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_app_version_part(
	    query,
	    &(struct app_version_part_parameters){.app_id = task_app(task)->id,
						  .before_sequence = range->after.number,
						  .row_limit = range->limit},
	    NULL);
}

static struct list_position position(const void *row)
{
	const struct app_version_part_row *part = row;

	return (struct list_position){.number = part->sequence};
}

static bool is_large(const void *row)
{
	const struct app_version_list_row *version = row;

	return version->is_large;
}

static const struct task_list list = {
    .letter = 'v',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .is_large = is_large,
    .record = &app_version_record,
    .start = {.number = INT64_MAX},
    .position = position,
};

static struct step_result begin(struct task *task)
{
	/* Versions of a public app are not listed, not even for its owner. */
	if (!task_app(task)->is_private)
		return task_fail(task, PROBLEM_APP_NOT_PRIVATE,
				 "only a private app's versions can be listed");
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_app_version_list = {
    .handler = begin,
    ENDPOINT_APP_VERSION_LIST,
};
