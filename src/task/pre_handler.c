#include "loop/loop.h"
#include "task/access.h"
#include "task_private.h"

/* Pre-handler checks, in the API's order:
 *
 *   access (401) -> its rate (429) -> body size (413) -> media type (415) -> JSON syntax (400)
 *     -> access again (401), if the body took longer than a second -> resource exists (404) ->
 * permission (403) -> device's rate (429) -> preconditions (412)
 *     -> body fields (400) -> handler
 *
 * Access and permission are looked at again before the handler, and after each wait of the handler
 * for the database, a worker thread, a renderer or another turn, if the last look is older than a
 * second, unless the handler has changed something.
 *
 * The endpoint's properties determine which of them apply. */

enum {
	STAGE_ACCESS,
	STAGE_BODY,
	STAGE_ACCESS_AGAIN,
	STAGE_RESOURCE,
	STAGE_INSTALLATION,
	STAGE_TAG,
	STAGE_FIELDS
};

static struct step_result check_access(struct task *task)
{
	task->unadmitted_field_count = task->response.field_count;
	return task->access->check(task);
}

static bool has_old_rights(const struct task *task)
{
	return task->access &&
	       loop_now_ms(task->service->loop) - task->admitted_ms > TASK_RIGHTS_MS_MAX;
}

/* Looks at the caller's rights once more, without taking a token of the rate limit. The answer gets
 * the fields of this look only if it refuses the caller. */
static struct step_result check_again(struct task *task, task_step *next)
{
	task->readmitted = next;
	task->admitted = arena_alloc(task_arena(task), sizeof(*task->admitted));
	task->admitted->query = task->query;
	task->admitted->next = task->next;
	task->admitted->row_count = task->row_count;
	task->admitted->response = task->response;
	task->response.field_count = task->unadmitted_field_count;
	return task->access->check(task);
}

/* Whether the caller was admitted another time. */
static bool is_admitted_again(struct task *task)
{
	task->admitted_ms = loop_now_ms(task->service->loop);
	if (!task->admitted)
		return false;
	task->query = task->admitted->query;
	task->next = task->admitted->next;
	task->row_count = task->admitted->row_count;
	task->response = task->admitted->response;
	task->admitted = NULL;
	return true;
}

static struct step_result readmit(struct task *task)
{
	struct step_result answer;

	if (task->is_handled && task_exceeds_scope(task, &answer))
		return answer;
	return task_continue(task, task->readmitted);
}

/* Continues with a step of the handler, unless the caller has lost its rights. */
static struct step_result continue_handler(struct task *task, task_step *next)
{
	if (!task->has_changed && !task->admitted && has_old_rights(task))
		return check_again(task, next);
	return task_continue(task, next);
}

struct step_result task_resumed(struct task *task)
{
	if (task->is_handled)
		return continue_handler(task, task->next);
	return task_continue(task, task->next);
}

static struct step_result query_again(struct task *task)
{
	task->query.is_asked_again = true;
	return task_query(task, task->next);
}

struct step_result task_submit_again(struct task *task)
{
	task->has_changed = false;
	return check_again(task, query_again);
}

static struct step_result begin_handler(struct task *task, task_step *handler)
{
	task->is_handled = true;
	return continue_handler(task, handler);
}

static struct step_result check_fields(struct task *task)
{
	const struct endpoint *endpoint = task->endpoint;

	if (!task_reads_fields(task) && !endpoint->handles_faults)
		return task_fail_faults(task);
	return begin_handler(task, endpoint->handler);
}

static bool exceeds_device_rate(struct task *task, struct step_result *ret_answer)
{
	return task->endpoint->is_device_limited && !task_is_of_operator(task) &&
	       task_is_limited(task, task->service->rates, &task->service->push_rate,
			       task->device.id, ret_answer);
}

/* Each stage returns here when it is done. */
struct step_result task_pre_handler(struct task *task)
{
	const struct endpoint *endpoint = task->endpoint;
	struct step_result answer;

	switch (task->stage) {
	case STAGE_ACCESS:
		task->stage = STAGE_BODY;
		if (task->access)
			return check_access(task);
		__attribute__((fallthrough));
	case STAGE_BODY:
		task->stage = STAGE_ACCESS_AGAIN;
		if (endpoint->body)
			return task_read_body(task);
		if (task_changes_something(task) && task_fails_coding(task, &answer))
			return answer;
		__attribute__((fallthrough));
	case STAGE_ACCESS_AGAIN:
		task->stage = STAGE_RESOURCE;
		if (endpoint->body && has_old_rights(task))
			return check_again(task, task_pre_handler);
		__attribute__((fallthrough));
	case STAGE_RESOURCE:
		task->stage = STAGE_INSTALLATION;
		if (endpoint->kept_as != READ_NONE)
			task_begin_keeping(task);
		if (task_assumes_device(task))
			return begin_handler(task, endpoint->handler);
		if (endpoint->resource != RESOURCE_NONE)
			return task_find_resource(task);
		task_finds_kept(task, task->account_id);
		__attribute__((fallthrough));
	case STAGE_INSTALLATION:
		task->stage = STAGE_TAG;
		if (task_has_capital_name(task))
			return task_find_installation_name(task);
		__attribute__((fallthrough));
	case STAGE_TAG:
		task->stage = STAGE_FIELDS;
		if (task_exceeds_scope(task, &answer))
			return answer;
		if (exceeds_device_rate(task, &answer))
			return answer;
		task->has_tag = endpoint->has_settings_tag;
		task->tag_revision = task->device.settings_revision;
		if (endpoint->has_settings_tag && task_names_no_match(task))
			return endpoint->tag_record
				   ? task_tag(task, endpoint->tag_record, &task->device)
				   : task_continue(task, endpoint->find_tagged);
		__attribute__((fallthrough));
	default:
		if (task_changes_something(task) && !endpoint->handles_preconditions &&
		    task_fails_precondition(task, &answer))
			return answer;
		if (endpoint->body)
			return check_fields(task);
		return begin_handler(task, task->kept ? task_reply_kept : endpoint->handler);
	}
}

struct step_result task_admit(struct task *task, const struct caller *caller)
{
	char text[ID_TEXT_LENGTH + 1];
	struct step_result answer;

	task->account_id = caller->account_id;
	id_format(task->account_id, text);
	task->request->log_account = arena_copy(task_arena(task), str_from(text));
	task->request->caller = task->request->log_account;
	task->caller_rate = caller->rate;
	task->caller_rate_id = caller->rate_id;
	if (is_admitted_again(task))
		return readmit(task);
	if (task_is_limited(task, task->service->rates, caller->rate, caller->rate_id, &answer))
		return answer;
	return task_continue(task, task_pre_handler);
}

struct step_result task_admit_visitor(struct task *task, const struct rate_policy *policy,
				      struct id rate_id)
{
	struct step_result answer;

	if (is_admitted_again(task))
		return readmit(task);
	if (task_is_limited(task, task->service->visitors, policy, rate_id, &answer))
		return answer;
	return task_continue(task, task_pre_handler);
}

struct step_result task_admit_unlimited(struct task *task)
{
	if (is_admitted_again(task))
		return readmit(task);
	return task_continue(task, task_pre_handler);
}

void *task_access_state(struct task *task)
{
	return task + 1;
}

struct step_result task_refuse(struct task *task)
{
	return task->access->refuse(task);
}
