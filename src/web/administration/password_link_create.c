#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/new_link.h"

/* POST /web/admin/accounts/{accountId}/password-link - a link for a forgotten password. */

struct creation {
	struct fresh_link link;
	struct link_create_password_row row;
};

static struct step_result password_link_create_fail(struct task *task)
{
	return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
}

static struct step_result created(struct task *task)
{
	struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return web_refuse_member(task);
	if (creation->row.expires_at == 0)
		return password_link_create_fail(task);
	web_changed(task, (struct id){0}, "admin");
	return web_reply_link(task, &creation->link, creation->row.expires_at);
}

static struct step_result password_link_create_begin(struct task *task)
{
	struct creation *creation = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return password_link_create_fail(task);
	web_new_link(&creation->link);
	statement_link_create_password(task_new_query(task),
				       &(struct link_create_password_parameters){
					   .account_id = id,
					   .id = creation->link.shown.id,
					   .secret_hash = web_link_hash(&creation->link),
					   .life_s = LIMIT_LINK_S,
					   .maker_id = task_account_id(task),
					   .address = web_address(task),
					   .session_id = web_session_id(task),
				       },
				       &creation->row);
	return task_query(task, created);
}

ENDPOINT_PASSWORD_LINK_CREATE(.handler = password_link_create_begin,
			      .state_size = sizeof(struct creation));
