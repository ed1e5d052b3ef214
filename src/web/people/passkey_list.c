#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/passkeys - the account's passkeys, oldest first. */

static void ask(struct task *task, struct db_query *query)
{
	statement_passkey_list(
	    query, &(struct passkey_list_parameters){.account_id = task_account_id(task)}, NULL);
}

static const struct task_list list = {
    .letter = 'p',
    .ask_short = ask,
    .record = &passkey_entry_record,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_passkey_list = {
    .handler = begin,
    ENDPOINT_PASSKEY_LIST,
};
