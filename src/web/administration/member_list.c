#include "web/access.h"
#include "web/endpoints.h"
#include "web/search.h"

/* GET /web/admin/accounts - all accounts, oldest first; with "q", those that have the text in their
 * name or address. */

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct web_search *search = task_state(task);

	if (search->wanted.length)
		statement_member_search(query,
					&(struct member_search_parameters){
					    .wanted = search->wanted,
					    .after_created_at = range->after.number,
					    .after_id = range->after.id,
					    .row_limit = range->limit,
					},
					NULL);
	else
		statement_member_part(query,
				      &(struct member_part_parameters){
					  .after_created_at = range->after.number,
					  .after_id = range->after.id,
					  .row_limit = range->limit,
				      },
				      NULL);
}

static void ask_short(struct task *task, struct db_query *query)
{
	const struct web_search *search = task_state(task);

	if (search->wanted.length)
		ask_part(task, query, &web_search_short);
	else
		statement_member_list(query, NULL);
}

static struct list_position position(const void *row)
{
	const struct member *member = row;

	return (struct list_position){.number = member->person.created_at_us,
				      .id = member->person.id};
}

static const struct task_list list = {
    .letter = 'm',
    .parameters = {"q"},
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &member_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return web_reply_found(task, &list);
}

const struct endpoint endpoint_member_list = {
    .handler = begin,
    .state_size = sizeof(struct web_search),
    ENDPOINT_MEMBER_LIST,
};
