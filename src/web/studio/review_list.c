#include "domain/review.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/reviews - the versions that await review, oldest first. */

static void ask_short(struct task *task, struct db_query *query)
{
	statement_review_list(
	    query, &(struct review_list_parameters){.account_id = task_account_id(task)}, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_review_part(
	    query,
	    &(struct review_part_parameters){.account_id = task_account_id(task),
					     .after_sequence = range->after.number,
					     .row_limit = range->limit},
	    NULL);
}

static struct list_position position(const void *row)
{
	const struct review_entry *entry = row;

	return (struct list_position){.number = entry->sequence};
}

static const struct task_list list = {
    .letter = 'r',
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &review_entry_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_review_list = {
    .handler = begin,
    ENDPOINT_REVIEW_LIST,
};
