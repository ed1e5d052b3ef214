#include "api/account_bytes.h"
#include "base/limits.h"
#include "domain/studio.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PUT /web/studio/{appId}/draft - saves the draft, and changes no version. If it was saved
 * meanwhile, such as in another window, nothing is overwritten. */

/* A topic is short: pages compare the last digits. */
enum { TOLD_REVISIONS = 1000 * 1000 };

struct saving {
	struct draft_change body; /* first: the pre-handler checks read the request into it */
	struct draft_saved saved;
	struct account_room room; /* if the account has no room */
};

static struct step_result saved(struct task *task)
{
	const struct saving *saving = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DRAFT_CHANGED,
				 "the draft has been changed elsewhere; load it again");
	/* The window that has saved it knows its revision, and need not read it. */
	web_changed(task, task_account_id(task), "draft:%.*s:%u", STR_ARG(task_app(task)->slug),
		    (unsigned)(saving->saved.revision % TOLD_REVISIONS));
	return task_reply_record(task, 200, &draft_saved_record, &saving->saved);
}

static struct step_result draft_save_begin(struct task *task)
{
	struct saving *saving = task_state(task);

	statement_app_draft_save(task_new_query(task),
				 &(struct app_draft_save_parameters){
				     .app_id = task_app(task)->id,
				     .script_language = saving->body.script_language,
				     .script_content = saving->body.script_content,
				     .revision = saving->body.revision,
				 },
				 &saving->saved);
	return task_query(task, saved);
}

static struct step_result fail_full(struct task *task)
{
	const struct saving *saving = task_state(task);

	return api_fail_account_bytes(task, &saving->room);
}

static struct step_result made_room(struct task *task)
{
	struct saving *saving = task_state(task);

	return api_account_room_was_made(task, &saving->room)
		   ? draft_save_begin(task)
		   : api_ask_account_bytes(task, &saving->room, fail_full);
}

static struct step_result refused(struct task *task)
{
	struct saving *saving = task_state(task);

	switch (task_constraint_error(task)) {
	case CONSTRAINT_TOO_MANY_BYTES:
		return api_make_account_room(task, &saving->room, made_room);
	case CONSTRAINT_APP_GONE:
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	default:
		return task_fail_constraint(task);
	}
}

ENDPOINT_DRAFT_SAVE(.handler = draft_save_begin, .state_size = sizeof(struct saving),
		    .refused = refused);
