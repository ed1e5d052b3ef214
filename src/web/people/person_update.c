#include "base/limits.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PATCH /web/account - changes the name that others see. */

struct update {
	struct person_update change; /* first: the pre-handler checks read the request into it */
	struct person person;	     /* after the change */
};

static struct step_result updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	web_changed(task, task_account_id(task), "account");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 200, &person_record, &update->person);
}

static struct step_result person_update_begin(struct task *task)
{
	struct update *update = task_state(task);

	if (str_equal_ignore_case(update->change.name, web_person(task)->email))
		return task_fail_field(task, "name", "%s", NAME_IS_ADDRESS);
	statement_account_rename(task_new_query(task),
				 &(struct account_rename_parameters){
				     .id = task_account_id(task),
				     .change = &update->change,
				     .change_present = task_body_present(task),
				 },
				 &update->person);
	return task_query(task, updated);
}

ENDPOINT_PERSON_UPDATE(.handler = person_update_begin, .state_size = sizeof(struct update));
