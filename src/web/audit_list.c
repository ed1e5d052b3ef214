#include "access.h"
#include "endpoints.h"
#include "task/list.h"

/* GET /web/admin/audit - who did what, newest first. */

static void ask_short(struct task *task, struct db_query *query)
{
	(void)task;
	statement_audit_list(query, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	(void)task;
	statement_audit_part(query,
			     &(struct audit_part_parameters){.before_id = range->after.number,
							     .row_limit = range->limit},
			     NULL);
}

static struct list_place place(const void *row)
{
	const struct audit_entry *entry = row;

	return (struct list_place){.number = entry->id};
}

static const struct task_list list = {
    .letter = 'u',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &audit_entry_record,
    .start = {.number = INT64_MAX},
    .place = place,
};

static struct verdict begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_audit_list = {
    .name = "audit_list",
    .handler = begin,
    .access = &access_administrator,
};
