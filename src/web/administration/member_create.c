#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/admin/accounts - makes an account without a password: a link sets one. */

struct creation {
	struct member_creation body; /* first: the pre-handler checks read the request into it */
	struct member member;
};

static struct step_result created(struct task *task)
{
	const struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return web_refuse_member(task);
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 201, &member_record, &creation->member);
}

static struct step_result member_create_begin(struct task *task)
{
	struct creation *creation = task_state(task);
	const struct member_creation *body = &creation->body;

	if (!task_is_of_operator(task) && web_service_of(task)->registration == REGISTRATION_CLOSED)
		return task_fail(task, PROBLEM_NO_NEW_ACCOUNTS,
				 "this server does not create new accounts");
	statement_account_create(task_new_query(task),
				 &(struct account_create_parameters){
				     .id = id_new(),
				     .email = body->email,
				     .name = body->name.length ? body->name : STR("Anonymous"),
				     .by_operator = task_is_of_operator(task),
				     .actor_id = task_account_id(task),
				     .address = web_address(task),
				     .session_id = web_session_id(task),
				 },
				 &creation->member);
	return task_query(task, created);
}

ENDPOINT_MEMBER_CREATE(.handler = member_create_begin, .state_size = sizeof(struct creation),
		       .refused = web_fail_constraint);
