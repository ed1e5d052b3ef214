#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/new_link.h"

/* POST /web/admin/links - the operator's one-time link: for the first account while there is none,
 * else for a new password of an account, or an invitation to make a new one. */

struct creation {
	struct operator_link_creation
	    body; /* first: the pre-handler checks read the request into it */
	struct fresh_link fresh;
	struct link_entry link;
};

static const struct record_field fields[] = {
    RECORD_ROW(struct creation, link, &link_entry_record, .is_shown = true),
    RECORD_STR(struct creation, fresh.shown.url, .name = "url"),
};
static const struct record shown_record = RECORD(struct creation, fields);

static struct step_result created(struct task *task)
{
	struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_ACCOUNT_BEING_REMOVED,
				 "the account is being removed");
	if (str_equal(creation->link.kind, STR("unknown")))
		return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND,
				 "there is no account with this e-mail address");
	if (str_equal(creation->link.kind, STR("used")))
		return task_fail(task, PROBLEM_EMAIL_USED,
				 "there is an account with this e-mail address already");
	web_changed(task, (struct id){0}, "admin");
	web_link_show(task, &creation->fresh, creation->link.expires_at_us);
	return task_reply_record(task, 201, &shown_record, creation);
}

static struct step_result operator_link_begin(struct task *task)
{
	struct creation *creation = task_state(task);
	const struct operator_link_creation *body = &creation->body;

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	web_new_link(&creation->fresh);
	statement_operator_link_create(task_new_query(task),
				       &(struct operator_link_create_parameters){
					   .id = creation->fresh.shown.id,
					   .email = body->email,
					   .is_reviewer = body->is_reviewer,
					   .is_administrator = body->is_administrator,
					   .is_invitation = body->is_invitation,
					   .secret_hash = web_link_hash(&creation->fresh),
					   .life_s = LIMIT_LINK_S,
				       },
				       &creation->link);
	return task_query(task, created);
}

ENDPOINT_OPERATOR_LINK(.handler = operator_link_begin, .state_size = sizeof(struct creation));
