#include "domain/app.h"
#include "endpoints.h"
#include "task/list.h"

/* GET /v1/apps - the apps that the caller can install, by name; with "broken=true" also those that
 * their collection calls broken. */

struct wish {
	bool with_broken;
};

static void ask_short(struct task *task, struct db_query *query)
{
	const struct wish *wish = task_state(task);

	statement_app_list(query,
			   &(struct app_list_parameters){.account_id = task_account_id(task),
							 .with_broken = wish->with_broken},
			   NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct wish *wish = task_state(task);

	statement_app_part(query,
			   &(struct app_part_parameters){.account_id = task_account_id(task),
							 .with_broken = wish->with_broken,
							 .after_name = range->after.text,
							 .after_id = range->after.id,
							 .row_limit = range->limit},
			   NULL);
}

static struct list_position position(const void *row)
{
	const struct app_listed *app = row;

	return (struct list_position){.id = app->id, .text = app->name};
}

static const struct task_list list = {
    .letter = 'a',
    .parameters = {"broken"},
    .is_compressed = true,
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &app_listed_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	struct wish *wish = task_state(task);
	struct step_result answer;

	if (task_has_bad_switch(task, "broken", &wish->with_broken, &answer))
		return answer;
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_app_list = {
    .handler = begin,
    .state_size = sizeof(struct wish),
    ENDPOINT_APP_LIST,
};
