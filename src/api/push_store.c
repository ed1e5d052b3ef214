#include "base/clock.h"
#include "base/id_capitals.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/v0.h"
#include "endpoints.h"
#include "events/events.h"
#include "metric/metric.h"
#include "push_steps.h"

/* Limit of attempts while entries expire. */
enum { STORE_TRIES = 8 };

static struct step_result push_store_fail(struct task *task, struct push_problem problem)
{
	struct push *push = *task_helper(task);

	push->problem = problem;
	return task_continue(task, push->is_done);
}

static struct step_result fail_gone(struct task *task)
{
	return push_store_fail(task, (struct push_problem){PROBLEM_DEVICE_NOT_FOUND, NULL,
							   STR("there is no such device"), 0});
}

static void on_turn(struct push_turn *turn)
{
	task_resume(container_of(turn, struct push, turn)->task);
}

/* Shows the push on this worker's panel before the answer is sent. */
static void show(struct task *task)
{
	const struct push *push = *task_helper(task);
	struct stored_push stored = {
	    .generation = push->stored.generation,
	    .picture = push->picture,
	    .duration_s = push->body->duration_s,
	    .expires_in_ms = push->body->expires_in_s * 1000,
	    .is_held = push->body->is_held,
	    .is_waking = push->body->is_waking,
	    .in_background = push->body->in_background,
	};

	if (push->body->is_installation)
		stored.installation_id = push->body->installation_id;
	delivery_push_stored(api_delivery(task), task_device(task)->id, &stored);
}

static struct step_result fail_full(struct task *task)
{
	const struct push *push = *task_helper(task);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	return push_store_fail(
	    task, (struct push_problem){PROBLEM_BYTES_TOO_MANY, NULL,
					api_account_bytes_problem(task, &push->room), 0});
}

static struct step_result store(struct task *task);

static struct step_result expired(struct task *task)
{
	const struct push *push = *task_helper(task);

	if (task_row_count(task))
		delivery_device_changed(api_delivery(task), task_device(task)->id,
					push->expired.generation);
	return store(task);
}

/* Removes expired entries, which must not count for the device's limit, and whose IDs are free. */
static struct step_result expire(struct task *task)
{
	struct push *push = *task_helper(task);

	if (++push->tries == STORE_TRIES)
		return push_store_fail(
		    task, (struct push_problem){
			      PROBLEM_DATA_LOCKED, NULL,
			      STR("expired entries are still being removed, try again"), 1});
	statement_device_expire(task_new_query(task),
				&(struct device_expire_parameters){task_device(task)->id},
				&push->expired);
	return task_query(task, expired);
}

static struct step_result made_room(struct task *task)
{
	struct push *push = *task_helper(task);

	return api_account_room_was_made(task, &push->room)
		   ? store(task)
		   : api_ask_account_bytes(task, &push->room, fail_full);
}

static struct step_result fail_app(struct task *task)
{
	const struct push *push = *task_helper(task);

	return push_store_fail(
	    task,
	    (struct push_problem){PROBLEM_INSTALLATION_ID_OF_APP, push->body->id_member,
				  STR("is the ID of an app's installation on this device"), 0});
}

static struct step_result stored(struct task *task)
{
	struct push *push = *task_helper(task);
	struct delivery *delivery = api_delivery(task);
	struct id device_id = task_device(task)->id;

	if (task_row_count(task) == 0)
		return fail_gone(task);
	if (push->stored.has_expired)
		return expire(task);
	if (push->stored.is_full)
		return api_make_account_room(task, &push->room, made_room);
	if (!push->stored.is_stored)
		return fail_app(task);
	byte_grants_stored(&api_service(task)->byte_grants, task_account_id(task),
			   (int64_t)push->picture.length, &push->stored, clock_monotonic_ms());
	show(task);
	push->turn.come = on_turn;
	if (!push->stored.is_close || delivery_push_is_next(delivery, &push->turn, device_id,
							    push->stored.previous_generation))
		return task_continue(task, push->is_done);
	/* Panels of other workers also show it before the turn of its answer. */
	delivery_device_changed(delivery, device_id, push->stored.generation);
	return task_wait(task, push->is_done);
}

static struct step_result store(struct task *task)
{
	struct push *push = *task_helper(task);
	struct db_query *query = task_new_query(task);
	struct id device_id = task_device(task)->id;
	struct byte_grant grant = byte_grants_find(&api_service(task)->byte_grants,
						   task_account_id(task), clock_monotonic_ms());

	if (push->body->is_installation)
		statement_push_store_installation(
		    query,
		    &(struct push_store_installation_parameters){
			.device_id = device_id,
			.id = push->body->installation_id,
			.picture = push->picture,
			.in_background = push->body->in_background,
			.expires_in_s = (int32_t)push->body->expires_in_s,
			.is_held = push->body->is_held,
			.is_waking = push->body->is_waking,
			.granted_bytes = grant.bytes,
			.granted_limit = grant.limit,
		    },
		    &push->stored);
	else
		statement_push_store_temporary(query,
					       &(struct push_store_temporary_parameters){
						   .device_id = device_id,
						   .picture = push->picture,
						   .duration_s = (int32_t)push->body->duration_s,
						   .is_held = push->body->is_held,
						   .is_waking = push->body->is_waking,
						   .granted_bytes = grant.bytes,
						   .granted_limit = grant.limit,
					       },
					       &push->stored);
	return task_query(task, stored);
}

static struct step_result meant(struct task *task)
{
	const struct push *push = *task_helper(task);
	struct str id = push->meant.first_id;

	if (id.data && !str_equal(id, push->body->installation_id))
		return fail_app(task);
	return store(task);
}

struct step_result push_store(struct task *task)
{
	struct push *push = *task_helper(task);

	push->problem = (struct push_problem){0};
	push->tries = 0;
	push->room.tries = 0;
	if (push->body->is_held)
		push->body->duration_s = task_device(task)->schedule_interval_s;
	/* The ID may be that of an app's installation: in capital letters, in /v0 without dashes.
	 */
	if (!push->body->is_installation || !(v0_entry_id_is_bare(push->body->installation_id) ||
					      id_has_capitals(push->body->installation_id)))
		return store(task);
	statement_entries_meant(task_new_query(task),
				&(struct entries_meant_parameters){
				    .device_id = task_device(task)->id,
				    .first = push->body->installation_id,
				    .second = STR(""),
				},
				&push->meant);
	return task_query(task, meant);
}

void push_answered(struct task *task)
{
	const struct push *push = *task_helper(task);
	const struct device *device = task_device(task);

	delivery_push_answered(api_delivery(task), device->id, push->stored.generation);
	events_pushed(api_service(task)->events, device->account_id, device->id,
		      push->stored.generation,
		      push->body->is_installation ? push->body->installation_id : (struct str){0});
}

struct step_result push_refused(struct task *task)
{
	const struct push *push = *task_helper(task);
	struct str detail;

	if (task_constraint_error(task) != CONSTRAINT_TOO_MANY_INSTALLATIONS)
		return task_fail_constraint(task);
	detail =
	    arena_printf(task_arena(task), "is one too many: the device already has %d entries",
			 LIMIT_DEVICE_INSTALLATIONS);
	return push_store_fail(
	    task, (struct push_problem){PROBLEM_DEVICE_FULL, push->body->id_member, detail, 0});
}

void push_count(int status)
{
	enum metric_push_result result = METRIC_PUSH_FAILED;

	switch (status) {
	case 200:
		result = METRIC_PUSH_STORED;
		break;
	case 401:
	case 403:
	case 404:
		result = METRIC_PUSH_FORBIDDEN;
		break;
	case 429:
		result = METRIC_PUSH_LIMITED;
		break;
	case 499:
		result = METRIC_PUSH_ABANDONED;
		break;
	case 503:
		result = METRIC_PUSH_BUSY;
		break;
	default:
		if (status < 500)
			result = METRIC_PUSH_REFUSED;
	}
	metric_add(METRIC_PUSHES, result, 1);
}
