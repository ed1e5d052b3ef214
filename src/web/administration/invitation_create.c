#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/new_link.h"

/* POST /web/admin/invitations - a link with which one account can be made. */

struct creation {
	struct invitation_creation
	    body; /* first: the pre-handler checks read the request into it */
	struct fresh_link link;
	struct invitation_create_row row;
};

static struct step_result created(struct task *task)
{
	struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return web_refuse_member(task);
	if (creation->row.expires_at == 0)
		return task_fail(task, PROBLEM_INVITATIONS_TOO_MANY,
				 "there are 100 open invitations already, withdraw one first");
	web_changed(task, (struct id){0}, "admin");
	return web_reply_link(task, &creation->link, creation->row.expires_at);
}

static struct step_result invitation_create_begin(struct task *task)
{
	struct creation *creation = task_state(task);

	if (web_service_of(task)->registration == REGISTRATION_CLOSED)
		return task_fail(task, PROBLEM_NO_NEW_ACCOUNTS,
				 "this server does not create new accounts");
	web_new_link(&creation->link);
	statement_invitation_create(task_new_query(task),
				    &(struct invitation_create_parameters){
					.id = creation->link.shown.id,
					.email = creation->body.email,
					.is_reviewer = creation->body.is_reviewer,
					.is_administrator = creation->body.is_administrator,
					.secret_hash = web_link_hash(&creation->link),
					.life_s = LIMIT_LINK_S,
					.maker_id = task_account_id(task),
					.address = web_address(task),
					.session_id = web_session_id(task),
				    },
				    &creation->row);
	return task_query(task, created);
}

ENDPOINT_INVITATION_CREATE(.handler = invitation_create_begin,
			   .state_size = sizeof(struct creation));
