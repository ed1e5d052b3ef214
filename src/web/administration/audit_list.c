#include "web/access.h"
#include "web/endpoints.h"
#include "web/search.h"

/* GET /web/admin/audit - the audit log, newest first; with "q", entries with the text in actor,
 * action, target or address. */

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct web_search *search = task_state(task);

	if (search->wanted.length)
		statement_audit_search(query,
				       &(struct audit_search_parameters){
					   .wanted = search->wanted,
					   .before_id = range->after.number,
					   .row_limit = range->limit,
				       },
				       NULL);
	else
		statement_audit_part(query,
				     &(struct audit_part_parameters){
					 .before_id = range->after.number,
					 .row_limit = range->limit,
				     },
				     NULL);
}

static void ask_short(struct task *task, struct db_query *query)
{
	const struct web_search *search = task_state(task);
	struct list_range newest = web_search_short;

	newest.after.number = INT64_MAX;
	if (search->wanted.length)
		ask_part(task, query, &newest);
	else
		statement_audit_list(query, NULL);
}

static struct list_position position(const void *row)
{
	const struct audit_entry *entry = row;

	return (struct list_position){.number = entry->id};
}

static const struct task_list list = {
    .letter = 'u',
    .parameters = {"q"},
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &audit_entry_record,
    .start = {.number = INT64_MAX},
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return web_reply_found(task, &list);
}

const struct endpoint endpoint_audit_list = {
    .handler = begin,
    .state_size = sizeof(struct web_search),
    ENDPOINT_AUDIT_LIST,
};
