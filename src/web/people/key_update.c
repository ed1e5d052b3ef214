#include "domain/api_key.h"
#include "key_streams.h"
#include "task/list.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PUT /web/keys/{keyId} - changes the name and the scope of an API key. All workers of all
 * instances read it again. Then ends what it has set up and may not have any more, as
 * key_revoke.c. */

struct update {
	struct key_creation body; /* first: the pre-handler checks read the request into it */
	struct key_entry entry;
	struct own_key_end_row ended;
};

static struct step_result key_update_fail(struct task *task)
{
	return task_fail(task, PROBLEM_KEY_NOT_FOUND, "the account has no such key");
}

static struct step_result ended(struct task *task)
{
	struct update *update = task_state(task);

	return task_reply_record(task, 200, &key_entry_record, &update->entry);
}

static struct step_result updated(struct task *task)
{
	struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return key_update_fail(task);
	update->entry.event_streams = key_streams_count(task, update->entry.secret_hash);
	web_changed(task, task_account_id(task), "keys");
	web_changed(task, (struct id){0}, "admin");
	statement_own_key_end(task_new_query(task),
			      &(struct own_key_end_parameters){
				  .id = update->entry.id,
				  .address = web_address(task),
				  .session_id = web_session_id(task),
			      },
			      &update->ended);
	return task_query(task, ended);
}

static struct step_result key_update_begin(struct task *task)
{
	struct update *update = task_state(task);
	struct step_result answer;
	struct id id;
	bool keeps;

	if (task_has_bad_switch(task, "keepSetUp", &keeps, &answer))
		return answer;
	if (!id_parse(task_path_parameter(task, 0), &id))
		return key_update_fail(task);
	statement_own_key_update(
	    task_new_query(task),
	    &(struct own_key_update_parameters){
		.account_id = task_account_id(task),
		.id = id,
		.name = update->body.name,
		.scope = update->body.scope,
		.device_ids = {update->body.device_ids, update->body.device_count},
		.ends_at = update->body.ends_at_us,
		.keeps_set_up = keeps,
		.address = web_address(task),
		.session_id = web_session_id(task),
	    },
	    &update->entry);
	return task_query(task, updated);
}

ENDPOINT_KEY_UPDATE(.handler = key_update_begin, .state_size = sizeof(struct update),
		    .refused = web_fail_constraint);
