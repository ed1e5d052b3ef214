#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/following.h"
#include "endpoints.h"

/* PUT /v1/devices/{deviceId}/leader - lets a device follow another one of its account.
 * DELETE /v1/devices/{deviceId}/leader - lets it show its own rotation again. */

struct leading {
	struct leader_change body; /* first: the pre-handler checks read the request into it */
	struct id id;		   /* device of the path */
	union {
		struct device_follow_row followed;
		struct device_unfollow_row unfollowed;
	};
};

static struct step_result leader_reply(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result leader_refused(struct task *task)
{
	if (task_constraint_error(task) != CONSTRAINT_DEVICE_FOLLOWS)
		return task_fail_constraint(task);
	return task_fail(task, PROBLEM_DEVICE_FOLLOWS,
			 "the leader follows a device, or a device follows this one");
}

static struct step_result followed(struct task *task)
{
	const struct leading *leading = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	delivery_device_changed(api_delivery(task), leading->id, leading->followed.generation);
	return api_note_change(task, "device.follow", STR(""), leader_reply);
}

static struct step_result leader_found(struct task *task)
{
	struct leading *leading = task_state(task);
	struct step_result answer;

	if (!task_may_use_device(task, &answer))
		return answer;
	if (id_equal(task_device(task)->id, leading->id))
		return task_fail(task, PROBLEM_DEVICE_FOLLOWS, "a device cannot follow itself");
	statement_device_follow(task_new_query(task),
				&(struct device_follow_parameters){
				    .id = leading->id,
				    .leader_id = task_device(task)->id,
				    .account_id = task_device(task)->account_id,
				    .own_brightness = leading->body.own_brightness,
				    .own_sleep = leading->body.own_sleep,
				},
				&leading->followed);
	return task_query(task, followed);
}

static struct step_result leader_set_begin(struct task *task)
{
	struct leading *leading = task_state(task);

	leading->id = task_device(task)->id;
	return task_find_device(task, leading->body.leader, leader_found);
}

ENDPOINT_LEADER_SET(.handler = leader_set_begin, .state_size = sizeof(struct leading),
		    .refused = leader_refused);

static struct step_result unfollowed(struct task *task)
{
	const struct leading *leading = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_LEADER_NOT_FOUND, "the device follows none");
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				leading->unfollowed.generation);
	return api_note_change(task, "device.unfollow", STR(""), leader_reply);
}

static struct step_result leader_remove_begin(struct task *task)
{
	struct leading *leading = task_state(task);

	statement_device_unfollow(task_new_query(task),
				  &(struct device_unfollow_parameters){task_device(task)->id},
				  &leading->unfollowed);
	return task_query(task, unfollowed);
}

ENDPOINT_LEADER_REMOVE(.handler = leader_remove_begin, .state_size = sizeof(struct leading));
