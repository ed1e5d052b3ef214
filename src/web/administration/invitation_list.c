#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/admin/invitations - those that can still be used, oldest first. */

static void ask(struct task *task, struct db_query *query)
{
	(void)task;
	statement_invitation_list(query, NULL);
}

static const struct task_list list = {
    .letter = 'n',
    .ask_short = ask,
    .record = &invitation_record,
};

static struct step_result begin(struct task *task)
{
	return task_reply_list(task, &list);
}

const struct endpoint endpoint_invitation_list = {
    .handler = begin,
    ENDPOINT_INVITATION_LIST,
};
