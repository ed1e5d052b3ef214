#include "domain/app.h"
#include "endpoints.h"
#include "task/list.h"

/* GET /v1/apps - the apps that the caller can install, by name. */

static void ask_short(struct task *task, struct db_query *query)
{
	statement_app_list(
	    query, &(struct app_list_parameters){.account_id = task_account_id(task)}, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_app_part(query,
			   &(struct app_part_parameters){.account_id = task_account_id(task),
							 .after_name = range->after.text,
							 .after_id = range->after.id,
							 .row_limit = range->limit},
			   NULL);
}

static struct list_place place(const void *row)
{
	const struct app_listed *app = row;

	return (struct list_place){.id = app->id, .text = app->name};
}

static const struct task_list list = {
    .letter = 'a',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &app_listed_record,
    .place = place,
};

static struct verdict begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_app_list = {
    .handler = begin,
    ENDPOINT_APP_LIST,
};
