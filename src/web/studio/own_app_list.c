#include "domain/studio.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/studio - the apps that the account has made, oldest first. */

static void ask_short(struct task *task, struct db_query *query)
{
	statement_own_app_list(
	    query, &(struct own_app_list_parameters){.account_id = task_account_id(task)}, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_own_app_part(
	    query,
	    &(struct own_app_part_parameters){.account_id = task_account_id(task),
					      .after_created_at = range->after.number,
					      .after_id = range->after.id,
					      .row_limit = range->limit},
	    NULL);
}

static struct list_position position(const void *row)
{
	const struct own_app *app = row;

	return (struct list_position){.number = app->created_at_us, .id = app->id};
}

static const struct task_list list = {
    .letter = 'o',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &own_app_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_own_app_list = {
    .handler = begin,
    ENDPOINT_OWN_APP_LIST,
};
