#include "domain/studio.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/studio/{appId}/draft - the author's draft; before the first save it is empty, with
 * revision 0. */

static struct step_result draft_get_found(struct task *task)
{
	struct app_draft *draft = task_state(task);

	if (task_row_count(task) == 0)
		*draft = (struct app_draft){.script_language = STR("STARLARK"),
					    .script_content = STR("")};
	return task_reply_record(task, 200, &app_draft_record, draft);
}

static struct step_result draft_get_begin(struct task *task)
{
	statement_app_draft_get(task_new_query(task),
				&(struct app_draft_get_parameters){task_app(task)->id},
				task_state(task));
	return task_query(task, draft_get_found);
}

ENDPOINT_DRAFT_GET(.handler = draft_get_begin, .state_size = sizeof(struct app_draft));
