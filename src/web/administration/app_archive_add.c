#include "domain/app_archive.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/admin/app-collections - a collection of apps that the server fetches from now on. */

struct addition {
	struct app_archive_creation
	    body; /* first: the pre-handler checks read the request into it */
	struct app_archive row;
};

static struct step_result added(struct task *task)
{
	const struct addition *addition = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_COLLECTIONS_TOO_MANY,
				 "there are 20 collections already, remove one first");
	web_changed(task, (struct id){0}, "admin");
	return task_reply_record(task, 200, &app_archive_record, &addition->row);
}

static struct step_result app_archive_add_begin(struct task *task)
{
	struct addition *addition = task_state(task);
	const struct app_archive_creation *body = &addition->body;

	if (id_is_none(task_account_id(task)))
		return task_fail(task, PROBLEM_ACCOUNT_NEEDED,
				 "the header Displayd-Account is missing");
	statement_app_archive_add(task_new_query(task),
				  &(struct app_archive_add_parameters){
				      .id = id_new(),
				      .account_id = task_account_id(task),
				      .name = app_archive_name(body->url, task_arena(task)),
				      .url = body->url,
				      .folder = body->folder.data ? body->folder : STR(""),
				      .by_operator = task_is_of_operator(task),
				      .address = web_address(task),
				      .session_id = web_session_id(task),
				  },
				  &addition->row);
	return task_query(task, added);
}

ENDPOINT_APP_ARCHIVE_ADD(.handler = app_archive_add_begin, .state_size = sizeof(struct addition));
