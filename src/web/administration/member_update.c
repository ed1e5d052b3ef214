#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PATCH /web/admin/accounts/{accountId} - changes roles and the limit of what the account
 * stores. Both hold from the next request on. */

struct update {
	struct member_update change; /* first: the prologue reads the request into it */
	struct member member;	     /* after the change */
};

static struct verdict fail(struct task *task)
{
	return task_fail(task, 404, "there is no such account");
}

static struct verdict updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return fail(task);
	web_changed(task, update->member.person.id, "account");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 200, &member_record, &update->member);
}

static struct verdict begin(struct task *task)
{
	struct update *update = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return fail(task);
	statement_member_update(task_new_query(task),
				&(struct member_update_parameters){
				    .id = id,
				    .change = &update->change,
				    .change_present = task_body_present(task),
				    .actor_id = task_account_id(task),
				    .address = web_address(task),
				    .session_id = web_session_id(task),
				},
				&update->member);
	return task_query(task, updated);
}

const struct endpoint endpoint_member_update = {
    .handler = begin,
    .state_size = sizeof(struct update),
    .refused = web_fail_refusal,
    ENDPOINT_MEMBER_UPDATE,
};
