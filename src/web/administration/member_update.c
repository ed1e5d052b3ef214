#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PATCH /web/admin/accounts/{accountId} - changes the name, the roles and the byte limit of an
 * account. The changes apply from the next request on.
 *
 *   name: read the address, which must differ -> limit, by the operator: add up stored bytes again
 *     -> change */

struct update {
	struct member_update change; /* first: the pre-handler checks read the request into it */
	struct member member;	     /* before it, for a name; after the change */
	struct account_recount_row recounted;
	struct id id;
};

static struct step_result member_update_fail(struct task *task)
{
	return task_fail(task, PROBLEM_ACCOUNT_NOT_FOUND, "there is no such account");
}

static struct step_result updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return member_update_fail(task);
	web_changed(task, update->member.person.id, "account");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 200, &member_record, &update->member);
}

static struct step_result change(struct task *task)
{
	struct update *update = task_state(task);

	update->member = (struct member){0};
	statement_member_update(task_new_query(task),
				&(struct member_update_parameters){
				    .id = update->id,
				    .change = &update->change,
				    .change_present = task_body_present(task),
				    .by_operator = task_is_of_operator(task),
				    .actor_id = task_account_id(task),
				    .address = web_address(task),
				    .session_id = web_session_id(task),
				},
				&update->member);
	return task_query(task, updated);
}

static bool sets_limit(struct task *task)
{
	for (unsigned i = 0; i < member_update_record.field_count; i++)
		if (str_equal(str_from(member_update_record.fields[i].body), STR("byteLimit")))
			return task_body_present(task) >> i & 1;
	return false;
}

static struct step_result recount(struct task *task)
{
	struct update *update = task_state(task);

	/* Counting takes long for many pictures. */
	if (!task_is_of_operator(task) || !sets_limit(task))
		return change(task);
	statement_account_recount(task_new_query(task),
				  &(struct account_recount_parameters){update->id},
				  &update->recounted);
	return task_query(task, change);
}

static struct step_result named(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return member_update_fail(task);
	if (str_equal_ignore_case(update->change.name, update->member.person.email))
		return task_fail_field(task, "name", "%s", NAME_IS_ADDRESS);
	return recount(task);
}

static struct step_result member_update_begin(struct task *task)
{
	struct update *update = task_state(task);

	if (!id_parse(task_path_parameter(task, 0), &update->id))
		return member_update_fail(task);
	if (!update->change.name.data)
		return recount(task);
	statement_member_get(task_new_query(task),
			     &(struct member_get_parameters){.id = update->id, .email = STR("")},
			     &update->member);
	return task_query(task, named);
}

ENDPOINT_MEMBER_UPDATE(.handler = member_update_begin, .state_size = sizeof(struct update),
		       .refused = web_fail_constraint);
