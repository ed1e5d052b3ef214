#include "base/require.h"
#include "http/stream.h"
#include "metric/metric.h"
#include "task/access.h"
#include "task_private.h"

static void respond(struct task *task)
{
	if (task->problem)
		http_respond_problem(task->request, task->problem, task->problem_detail,
				     task->problem_members, &task->response);
	else
		http_respond(task->request, &task->response);
}

/* Frees memory that is not in the arena. */
static void task_end(struct task *task)
{
	if (task->leave_list)
		task->leave_list(task);
	if (task->endpoint->finish)
		task->endpoint->finish(task->state);
	json_document_finish(&task->document);
	arena_finish(&task->lane_arena);
	if (task->endpoint->count)
		task->endpoint->count(task->response.status);
	if (task->response.status == 401)
		metric_add(METRIC_UNAUTHENTICATED,
			   task->access ? task->access->metric : METRIC_ACCESS_OTHER, 1);
	task->service->task_count--;
}

void task_end_stream(struct task *task, struct http_stream *stream, bool is_complete)
{
	task_end(task);
	if (is_complete)
		http_stream_end(stream);
	else
		http_stream_abort(stream);
}

static void on_room(struct http_stream *stream, void *owner)
{
	struct task *task = owner;

	if (!task->write_more(task, stream))
		task_end_stream(task, stream, true); /* the last act */
}

static void on_stream_stopped(struct http_stream *stream, void *owner)
{
	(void)stream;
	task_end(owner);
}

static void hand_over(struct task *task)
{
	struct stream_heir heir = task->heir;

	task_end(task);
	*heir.ret_stream =
	    http_respond_stream(task->request, &task->response, heir.source, heir.owner);
	/* The last act: the arena and the task in it go with the request. */
	http_stream_release_request(*heir.ret_stream);
}

static void run(struct task *task, task_step *step)
{
	static const struct http_stream_source stream = {.proceed = on_room,
							 .stop = on_stream_stopped};
	struct service *service = task->service;
	struct step_result result;

	require_context(task->request->request_id.data);
	do {
		result = step(task);
		step = result.next;
	} while (result.kind == STEP_CONTINUE);
	if (result.kind == STEP_REPLY) {
		task_end(task);
		/* The last act: the arena and the task in it go with the request. */
		respond(task);
	} else if (result.kind == STEP_STREAM) {
		http_respond_stream(task->request, &task->response, &stream, task);
	} else if (result.kind == STEP_HANDED_OVER) {
		hand_over(task);
	} else if (result.kind == STEP_GIVEN_UP) {
		service->task_count--;
	}
	require_context(NULL);
}

static struct step_result reply_to_nobody(struct task *task)
{
	task->response = (struct http_response){.status = 499};
	return (struct step_result){.kind = STEP_REPLY};
}

bool task_is_abandoned(const struct task *task)
{
	return http_request_is_abandoned(task->request) && !task->has_written;
}

void task_run(struct task *task, task_step *step)
{
	if (task_is_abandoned(task))
		step = reply_to_nobody;
	run(task, step);
}

struct service *task_service(struct task *task)
{
	return task->service;
}

struct http_request *task_request(struct task *task)
{
	return task->request;
}

struct arena *task_arena(struct task *task)
{
	return &task->request->arena;
}

void **task_helper(struct task *task)
{
	return &task->helper;
}

void *task_state(struct task *task)
{
	return task->state;
}

struct id task_account_id(struct task *task)
{
	return task->account_id;
}

bool task_is_of_operator(const struct task *task)
{
	return task->is_of_operator;
}

bool task_is_of_bridge(const struct task *task)
{
	return task->is_of_bridge;
}

bool task_changes_something(const struct task *task)
{
	return task->request->method != HTTP_GET && task->request->method != HTTP_HEAD;
}

bool task_is_closed_to_operator(const struct task *task)
{
	return task->operators_account.is_closed && task_changes_something(task);
}

struct device *task_device(struct task *task)
{
	return &task->device;
}

const struct app *task_app(struct task *task)
{
	return &task->app;
}

uint64_t task_body_present(struct task *task)
{
	return task->present;
}

struct faults *task_faults(struct task *task)
{
	return &task->faults;
}

struct str task_path_parameter(struct task *task, unsigned index)
{
	require(index < task->match.parameter_count);
	return task->match.parameters[index];
}

void task_set_path_parameter(struct task *task, unsigned index, struct str value)
{
	require(index < task->match.parameter_count);
	task->match.parameters[index] = value;
}

struct step_result task_continue(struct task *task, task_step *next)
{
	(void)task;
	return (struct step_result){.kind = STEP_CONTINUE, .next = next};
}

struct step_result task_next_stage(struct task *task)
{
	return task_continue(task, task->pre_handler);
}

struct step_result task_wait(struct task *task, task_step *next)
{
	task->next = next;
	return (struct step_result){.kind = STEP_WAIT};
}

void task_resume(struct task *task)
{
	task_run(task, task->resumed);
}

struct step_result task_given_up(struct task *task)
{
	(void)task; /* the task may be freed with its request */
	return (struct step_result){.kind = STEP_GIVEN_UP};
}
