#include "web/access.h"
#include "web/endpoints.h"
#include "web/exchange/import_upkeep.h"

/* DELETE /web/admin/imports/{importId} - ends an import: everything that was not applied is
 * dropped. */

static struct step_result ended(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_IMPORT_NOT_FOUND, "there is no such import");
	import_upkeep_look(web_service_of(task)->import_upkeep);
	return task_reply_empty(task, 200);
}

static struct step_result import_end_begin(struct task *task)
{
	struct account_import_end_row *row = task_state(task);
	struct id id;

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	if (!id_parse(task_path_parameter(task, 0), &id))
		return task_fail(task, PROBLEM_IMPORT_NOT_FOUND, "there is no such import");
	statement_account_import_end(task_new_query(task),
				     &(struct account_import_end_parameters){id}, row);
	return task_query(task, ended);
}

ENDPOINT_ACCOUNT_IMPORT_END(.handler = import_end_begin,
			    .state_size = sizeof(struct account_import_end_row));
