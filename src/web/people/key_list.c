#include "key_streams.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/keys - the account's API keys that are not revoked, oldest first. */

static void ask_keys(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_own_key_list(
	    query, &(struct own_key_list_parameters){.account_id = task_account_id(task)}, range);
}

static void complete(struct task *task, void *row)
{
	struct key_entry *key = row;

	key->event_streams = key_streams_count(task, key->secret_hash);
}

static const struct task_list list = {
    .letter = 'k',
    .complete = complete,
    .ask = ask_keys,
    .order = &own_key_list_order,
    .record = &key_entry_record,
};

static struct step_result key_list_begin(struct task *task)
{
	return task_reply_list(task, &list);
}

ENDPOINT_KEY_LIST(.handler = key_list_begin);
