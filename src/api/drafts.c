#include "api/drafts.h"
#include "api/pages.h"
#include "base/limits.h"
#include "endpoints.h"

/* A topic is short: pages compare the last digits. */
enum { TOLD_REVISIONS = 1000 * 1000 };

struct step_result api_draft_was_saved(struct task *task)
{
	const struct draft_saving *saving = task_state(task);
	const struct app *app = task_app(task);
	unsigned revision = (unsigned)(saving->saved.revision % TOLD_REVISIONS);

	api_tell_pages(
	    task, app->account_id,
	    arena_printf(task_arena(task), "draft:%.*s:%u", STR_ARG(app->slug), revision));
	return task_reply_record(task, 200, &draft_saved_record, &saving->saved);
}

static struct step_result fail_full(struct task *task)
{
	const struct draft_saving *saving = task_state(task);

	return api_fail_account_bytes(task, &saving->room);
}

static struct step_result made_room(struct task *task)
{
	struct draft_saving *saving = task_state(task);

	return api_account_room_was_made(task, &saving->room)
		   ? saving->save(task)
		   : api_ask_account_bytes(task, &saving->room, fail_full);
}

struct step_result api_draft_refused(struct task *task)
{
	struct draft_saving *saving = task_state(task);

	switch (task_constraint_error(task)) {
	case CONSTRAINT_TOO_MANY_BYTES:
		return api_make_account_room(task, &saving->room, made_room);
	case CONSTRAINT_APP_GONE:
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	default:
		return task_fail_constraint(task);
	}
}
