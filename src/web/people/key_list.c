#include "key_streams.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/keys - the account's API keys that are not revoked, oldest first. */

static void ask_short(struct task *task, struct db_query *query)
{
	statement_own_key_list(
	    query, &(struct own_key_list_parameters){.account_id = task_account_id(task)}, NULL);
}

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_own_key_part(
	    query,
	    &(struct own_key_part_parameters){.account_id = task_account_id(task),
					      .after_created_at = range->after.number,
					      .after_id = range->after.id,
					      .row_limit = range->limit},
	    NULL);
}

static struct list_position position(const void *row)
{
	const struct key_entry *key = row;

	return (struct list_position){.number = key->created_at_us, .id = key->id};
}

static void complete(struct task *task, void *row)
{
	struct key_entry *key = row;

	key->event_streams = key_streams_count(task, key->secret_hash);
}

static const struct task_list list = {
    .letter = 'k',
    .complete = complete,
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &key_entry_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_key_list = {
    .handler = begin,
    ENDPOINT_KEY_LIST,
};
