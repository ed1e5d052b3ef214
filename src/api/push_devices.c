#include "base/limits.h"
#include "chosen_devices.h"
#include "endpoints.h"
#include "push_shown.h"
#include "push_steps.h"

/* POST /v1/push - shows an image on several devices.
 *
 *   push_convert -> converted -> chosen_devices_walk() -> push_devices_found <----------.
 *                                                             |     one device after the other
 *                                              push_adapt -> push_store -- is_done -> done
 *
 * The image is converted once, once more if panels have both sizes, and one statement is under way
 * at a time. The answer lists the failure of each device. An unavailable database ends the request;
 * the image may be pushed again.
 */

struct pushing {
	struct push_body body; /* first: the pre-handler checks read the request into it */
	struct push push;
	struct chosen_devices chosen;
};

static struct step_result note(struct task *task, const struct push_problem *problem)
{
	struct pushing *pushing = task_state(task);
	const struct push *push = &pushing->push;
	struct device_problem noted = {problem->kind, problem->detail, problem->retry_after_s};
	struct str shown = {0};

	if (problem->kind && problem->field)
		noted.detail =
		    ARENA_JOIN(task_arena(task), str_from(problem->field), STR(" "), noted.detail);
	if (!problem->kind)
		shown = api_push_shown(task, push->body, &push->stored);
	return chosen_devices_note(task, &pushing->chosen, &noted, shown);
}

static struct step_result done(struct task *task)
{
	struct push *push = *task_helper(task);

	if (!push->problem.kind)
		push_answered(task);
	return note(task, &push->problem);
}

static struct step_result push_devices_adapted(struct task *task)
{
	const struct push *push = *task_helper(task);

	return push->problem.kind ? note(task, &push->problem) : push_store(task);
}

static struct step_result push_devices_found(struct task *task)
{
	struct pushing *pushing = task_state(task);
	unsigned retry_after_s;

	*task_helper(task) = &pushing->push;
	if (!task_take_device_token(task, pushing->chosen.count > 0, &retry_after_s))
		return note(task, &(struct push_problem){PROBLEM_REQUESTS_TOO_MANY, NULL,
							 STR("too many pushes"), retry_after_s});
	return push_adapt(task);
}

static struct step_result converted(struct task *task)
{
	struct pushing *pushing = task_state(task);
	struct step_result failure;

	if (push_image_fails(task, &failure))
		return failure;
	pushing->push.is_adapted = push_devices_adapted;
	pushing->push.is_done = done;
	pushing->chosen.each = push_devices_found;
	pushing->chosen.count_status = push_count;
	return chosen_devices_walk(task, &pushing->chosen, pushing->body.devices,
				   pushing->body.is_for_all);
}

static struct step_result push_devices_begin(struct task *task)
{
	struct pushing *pushing = task_state(task);

	push_begin(task, &pushing->push, &pushing->body);
	pushing->push.takes_wide = true;
	pushing->push.max_bytes = DEVICE_PICTURE_LIMIT_MIN;
	pushing->push.is_converted = converted;
	return push_convert(task);
}

static void push_devices_finish(void *state)
{
	struct pushing *pushing = state;

	push_finish(&pushing->push);
	chosen_devices_finish(&pushing->chosen);
}

/* Counts a failure of the whole request; devices are counted one by one. */
static void count(int status)
{
	if (status != 200)
		push_count(status);
}

ENDPOINT_PUSH_DEVICES(.handler = push_devices_begin, .state_size = sizeof(struct pushing),
		      .handles_faults = true, .refused = push_refused,
		      .finish = push_devices_finish, .count = count);
