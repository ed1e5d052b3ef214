#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* DELETE /web/admin/invitations/{invitationId} - withdraws an invitation. */

struct revocation {
	struct invitation_revoke_row row;
};

static struct step_result invitation_revoke_fail(struct task *task)
{
	return task_fail(task, PROBLEM_INVITATION_NOT_FOUND, "there is no such invitation");
}

static struct step_result revoked(struct task *task)
{
	if (task_row_count(task) == 0)
		return invitation_revoke_fail(task);
	web_changed(task, (struct id){0}, "admin");
	return task_reply_empty(task, 200);
}

static struct step_result invitation_revoke_begin(struct task *task)
{
	struct revocation *revocation = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return invitation_revoke_fail(task);
	statement_invitation_revoke(task_new_query(task),
				    &(struct invitation_revoke_parameters){
					.id = id,
					.actor_id = task_account_id(task),
					.address = web_address(task),
					.session_id = web_session_id(task),
				    },
				    &revocation->row);
	return task_query(task, revoked);
}

ENDPOINT_INVITATION_REVOKE(.handler = invitation_revoke_begin,
			   .state_size = sizeof(struct revocation));
