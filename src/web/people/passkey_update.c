#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PATCH /web/passkeys/{passkeyId} - gives a passkey another name. */

struct update {
	struct passkey_update body; /* first: the pre-handler checks read the request into it */
	struct passkey_entry entry;
};

static struct step_result passkey_update_fail(struct task *task)
{
	return task_fail(task, PROBLEM_PASSKEY_NOT_FOUND, "the account has no such passkey");
}

static struct step_result updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return passkey_update_fail(task);
	web_changed(task, task_account_id(task), "account");
	return task_reply_record(task, 200, &passkey_entry_record, &update->entry);
}

static struct step_result passkey_update_begin(struct task *task)
{
	struct update *update = task_state(task);
	struct id id;

	if (!id_parse(task_path_parameter(task, 0), &id))
		return passkey_update_fail(task);
	statement_passkey_rename(task_new_query(task),
				 &(struct passkey_rename_parameters){
				     .account_id = task_account_id(task),
				     .id = id,
				     .name = update->body.name,
				 },
				 &update->entry);
	return task_query(task, updated);
}

ENDPOINT_PASSKEY_UPDATE(.handler = passkey_update_begin, .state_size = sizeof(struct update));
