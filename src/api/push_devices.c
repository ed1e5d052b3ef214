#include "base/buffer.h"
#include "base/limits.h"
#include "endpoints.h"
#include "push_shown.h"
#include "push_steps.h"

/* POST /v1/push - shows an image on several devices.
 *
 *   push_convert -> converted --all: push_devices--> listed
 *                       |                               |
 *                       '---------> next_device <-------'<-----------------.
 *                                        | one device after the other      |
 *                                      found -- push_store -- is_done -> done
 *
 * The image is converted once, and one statement is under way at a time. The answer lists the
 * failure of each device. An unavailable database ends the request; the image may be pushed again.
 */

struct pushing {
	struct push_body body; /* first: the pre-handler checks read the request into it */
	struct push push;
	struct push_devices_row all;
	struct json_walk names; /* remaining names, if not for all */
	struct str name;	/* name of the device, as given by the caller */
	unsigned count;		/* number of devices so far */
	struct buffer json;
};

static task_step next_device;

static void write_problem(struct buffer *json, const struct push_problem *problem,
			  struct arena *arena)
{
	struct str detail = problem->detail;

	if (problem->field)
		detail = ARENA_JOIN(arena, str_from(problem->field), STR(" "), detail);
	buffer_printf(json, ",\"status\":%d,\"code\":\"%s\",\"detail\":", problem->kind->status,
		      problem->kind->code);
	json_write_str(json, detail);
	if (problem->retry_after_s)
		buffer_printf(json, ",\"retryAfter\":%u", problem->retry_after_s);
}

static struct step_result note(struct task *task, const struct push_problem *problem)
{
	struct pushing *pushing = task_state(task);
	const struct push *push = &pushing->push;
	struct buffer *json = &pushing->json;

	buffer_append_str(json, pushing->count++ ? STR(",{\"device\":") : STR("{\"device\":"));
	json_write_str(json, pushing->name);
	if (problem->kind) {
		write_problem(json, problem, task_arena(task));
	} else {
		buffer_append_str(json, STR(",\"status\":200,\"shown\":"));
		json_write_str(json, api_push_shown(task, push->body, &push->stored));
	}
	buffer_append_char(json, '}');
	push_count(problem->kind ? problem->kind->status : 200);
	return task_continue(task, next_device);
}

static struct step_result done(struct task *task)
{
	struct push *push = *task_helper(task);

	if (!push->problem.kind)
		push_answered(task);
	return note(task, &push->problem);
}

static struct step_result push_devices_found(struct task *task)
{
	struct pushing *pushing = task_state(task);
	const struct problem_kind *forbidden;
	const char *why;
	unsigned retry_after_s;

	if (task_row_count(task) == 0)
		return note(task, &(struct push_problem){PROBLEM_DEVICE_NOT_FOUND, NULL,
							 STR("there is no such device"), 0});
	forbidden = task_device_problem(task, &why);
	if (forbidden)
		return note(task, &(struct push_problem){forbidden, NULL, str_from(why), 0});
	if (!task_take_device_token(task, pushing->count > 0, &retry_after_s))
		return note(task, &(struct push_problem){PROBLEM_REQUESTS_TOO_MANY, NULL,
							 STR("too many pushes"), retry_after_s});
	if (!push_fits(task, task_device(task)))
		return note(task, &pushing->push.problem);
	return task_continue(task, push_store);
}

static bool take_name(struct task *task, struct pushing *pushing)
{
	const struct json_value *item;
	char text[ID_TEXT_LENGTH + 1];
	struct id id;

	if (!pushing->body.is_for_all)
		return json_next_item(&pushing->names, &item) && json_get_str(item, &pushing->name);
	if (pushing->all.ids.length == 0)
		return false;
	memcpy(id.bytes, pushing->all.ids.data, ID_BYTES);
	pushing->all.ids = str_from_offset(pushing->all.ids, ID_BYTES);
	id_format(id, text);
	pushing->name = arena_copy(task_arena(task), str_from(text));
	return true;
}

static struct step_result next_device(struct task *task)
{
	struct pushing *pushing = task_state(task);

	/* If the client has left, the remaining devices get no image: it may push again. */
	if (!http_request_is_abandoned(task_request(task)) && take_name(task, pushing))
		return task_find_device(task, pushing->name, push_devices_found);
	buffer_append_str(&pushing->json, STR("]}"));
	return task_reply_json(task, 200, &pushing->json);
}

static struct step_result listed(struct task *task)
{
	const struct pushing *pushing = task_state(task);

	if (pushing->all.ids.length / ID_BYTES > LIMIT_PUSH_ALL_DEVICES)
		return task_fail(
		    task, PROBLEM_DEVICES_TOO_MANY,
		    "the account has more than %d devices; choose up to %d of them with devices",
		    LIMIT_PUSH_ALL_DEVICES, LIMIT_PUSH_DEVICES);
	return task_continue(task, next_device);
}

static struct step_result converted(struct task *task)
{
	struct pushing *pushing = task_state(task);
	struct step_result failure;

	if (push_image_fails(task, NULL, &failure))
		return failure;
	pushing->push.is_done = done;
	buffer_append_str(&pushing->json, STR("{\"devices\":["));
	if (!pushing->body.is_for_all) {
		pushing->names = json_walk(pushing->body.devices);
		return task_continue(task, next_device);
	}
	statement_push_devices(
	    task_new_query(task),
	    &(struct push_devices_parameters){task_account_id(task), task_key_devices(task)},
	    &pushing->all);
	return task_query(task, listed);
}

static struct step_result push_devices_begin(struct task *task)
{
	struct pushing *pushing = task_state(task);

	push_begin(task, &pushing->push, &pushing->body);
	pushing->push.max_bytes = DEVICE_PICTURE_LIMIT_MIN;
	pushing->push.is_converted = converted;
	return push_convert(task);
}

static void finish(void *state)
{
	struct pushing *pushing = state;

	push_finish(&pushing->push);
	buffer_finish(&pushing->json);
}

/* Counts a failure of the whole request; devices are counted one by one. */
static void count(int status)
{
	if (status != 200)
		push_count(status);
}

ENDPOINT_PUSH_DEVICES(.handler = push_devices_begin, .state_size = sizeof(struct pushing),
		      .handles_faults = true, .refused = push_refused, .finish = finish,
		      .count = count);
