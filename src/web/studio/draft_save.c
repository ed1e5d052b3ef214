#include "api/drafts.h"
#include "web/access.h"
#include "web/endpoints.h"

/* PUT /web/studio/{appId}/draft - saves the draft, and changes no version. If it was saved
 * meanwhile, such as in another window, nothing is overwritten. */

static struct step_result draft_saved(struct task *task)
{
	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DRAFT_CHANGED,
				 "the draft has been changed elsewhere; load it again");
	return api_draft_was_saved(task);
}

static struct step_result draft_save_begin(struct task *task)
{
	struct draft_saving *saving = task_state(task);

	saving->save = draft_save_begin;
	statement_app_draft_save(task_new_query(task),
				 &(struct app_draft_save_parameters){
				     .app_id = task_app(task)->id,
				     .script_language = saving->body.script_language,
				     .script_content = saving->body.script_content,
				     .revision = saving->body.revision,
				 },
				 &saving->saved);
	return task_query(task, draft_saved);
}

ENDPOINT_DRAFT_SAVE(.handler = draft_save_begin, .state_size = sizeof(struct draft_saving),
		    .refused = api_draft_refused);
