#include "base/limits.h"
#include "domain/account_import.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/admin/imports - the operator begins to import an account. Its ID will be the
 * account's. */

struct creation {
	struct account_import_creation
	    body; /* first: the pre-handler checks read the request into it */
	struct account_import_created created;
	struct account_import_create_row row;
};

static struct step_result created(struct task *task)
{
	const struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail_busy(task, PROBLEM_IMPORTS_TOO_MANY, 10,
				      "%d account imports are running, try again",
				      LIMIT_ACCOUNT_IMPORTS);
	return task_reply_record(task, 201, &account_import_created_record, &creation->created);
}

static struct step_result import_create_begin(struct task *task)
{
	struct creation *creation = task_state(task);

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	creation->created.id = id_new();
	statement_account_import_create(
	    task_new_query(task),
	    &(struct account_import_create_parameters){
		.id = creation->created.id,
		.email = creation->body.email.data ? creation->body.email : STR(""),
		.keeps_public = creation->body.keeps_public,
		.skips_missing = creation->body.skips_missing,
		.life_s = LIMIT_ACCOUNT_IMPORT_S,
		.import_limit = LIMIT_ACCOUNT_IMPORTS,
	    },
	    &creation->row);
	return task_query(task, created);
}

ENDPOINT_ACCOUNT_IMPORT_CREATE(.handler = import_create_begin,
			       .state_size = sizeof(struct creation));
