#include "endpoints.h"
#include "push_shown.h"
#include "push_steps.h"

/* POST /v1/devices/{deviceId}/push - shows an image on a device. POST /v0/devices/{deviceId}/push -
 * the same with the bodies of /v0. */

struct pushing {
	struct push_body body; /* first: the pre-handler checks read the request into it */
	struct push push;
};

static struct step_result push_fail(struct task *task, const struct push_problem *problem)
{
	if (problem->field)
		return task_fail_field_as(task, problem->kind, problem->field, "%.*s",
					  STR_ARG(problem->detail));
	if (problem->kind->status == 503)
		return task_fail_busy(task, problem->kind, problem->retry_after_s, "%.*s",
				      STR_ARG(problem->detail));
	return task_fail(task, problem->kind, "%.*s", STR_ARG(problem->detail));
}

struct step_result push_answer(struct task *task)
{
	const struct push *push = *task_helper(task);

	if (push->problem.kind)
		return push_fail(task, &push->problem);
	task_add_field(task, STR("Displayd-Shown"),
		       api_push_shown(task, push->body, &push->stored));
	/* displayctl prints the field. */
	if (task_is_of_operator(task))
		task_add_field(task, STR("Displayd-Bytes"),
			       arena_printf(task_arena(task), "%zu", push->picture.length));
	push_answered(task);
	return task_reply_empty(task, 200);
}

static struct step_result adapted(struct task *task)
{
	struct push *push = *task_helper(task);

	if (push->problem.kind)
		return push_fail(task, &push->problem);
	push->is_done = push_answer;
	return push_store(task);
}

static struct step_result converted(struct task *task)
{
	struct push *push = *task_helper(task);
	struct step_result failure;

	if (push_image_fails(task, &failure))
		return failure;
	push->is_adapted = adapted;
	return push_adapt(task);
}

static struct step_result device_push_begin(struct task *task)
{
	struct pushing *pushing = task_state(task);

	push_begin(task, &pushing->push, &pushing->body);
	pushing->push.max_bytes = (size_t)task_device(task)->picture_limit_bytes;
	pushing->push.takes_wide = panel_size_of(task_device(task)->size) == PANEL_SIZE_128X64;
	pushing->push.raw = task_picture(task, &pushing->push.raw_type);
	pushing->push.is_converted = converted;
	return push_convert(task);
}

static void finish(void *state)
{
	struct pushing *pushing = state;

	push_finish(&pushing->push);
}

ENDPOINT_PUSH(.handler = device_push_begin, .state_size = sizeof(struct pushing),
	      .handles_faults = true, .refused = push_refused, .finish = finish,
	      .count = push_count);

ENDPOINT_V0_PUSH(.handler = device_push_begin, .state_size = sizeof(struct pushing),
		 .handles_faults = true, .refused = push_refused, .finish = finish,
		 .count = push_count);
