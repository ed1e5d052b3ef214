#include "access.h"
#include "endpoints.h"
#include "task/list.h"

/* GET /web/admin/accounts - all accounts, oldest first. */

static void ask_short(struct task *task, struct db_query *query)
{
	(void)task;
	statement_member_list(query, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	(void)task;
	statement_member_part(query,
			      &(struct member_part_parameters){
				  .after_created_at = range->after.number,
				  .after_id = range->after.id,
				  .row_limit = range->limit,
			      },
			      NULL);
}

static struct list_place place(const void *row)
{
	const struct member *member = row;

	return (struct list_place){.number = member->person.created_at_us, .id = member->person.id};
}

static const struct task_list list = {
    .letter = 'm',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &member_record,
    .place = place,
};

static struct verdict begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_member_list = {
    .name = "member_list",
    .handler = begin,
    .access = &access_administrator,
};
