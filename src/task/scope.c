#include "task_private.h"

/* RFC 6750 section 3.1: a valid key whose scope does not include this call. */
static struct step_result fail_scope(struct task *task, enum key_level needed)
{
	struct str name = key_level_name(needed);

	task_add_field(task, STR("WWW-Authenticate"),
		       ARENA_JOIN(task_arena(task),
				  STR("Bearer realm=\"displayd\", error=\"insufficient_scope\", "
				      "scope=\""),
				  name, STR("\"")));
	return task_fail(task, PROBLEM_KEY_TOO_NARROW,
			 "the API key has the scope \"%.*s\", but this call requires \"%.*s\"",
			 STR_ARG(key_level_name(task->key_scope->level)), STR_ARG(name));
}

bool task_has_other_devices(const struct task *task)
{
	return task->key_scope && !key_scope_has_device(task->key_scope, task->device.id);
}

bool task_is_within_scope(const struct task *task)
{
	const struct key_scope *scope = task->key_scope;

	return !scope || (!(task->has_device_key && !task->endpoint->takes_device_key) &&
			  scope->level >= task->endpoint->key_level &&
			  !(task->endpoint->is_account_wide && scope->devices.length) &&
			  !task_has_other_devices(task));
}

bool task_exceeds_scope(struct task *task, struct step_result *ret_answer)
{
	const struct key_scope *scope = task->key_scope;

	if (!scope)
		return false;
	if (task->has_device_key && !task->endpoint->takes_device_key) {
		*ret_answer = task_fail(task, PROBLEM_DEVICE_KEY_TOO_NARROW,
					"a device's own key allows only pushes, and listing and "
					"removing installations; use an API key");
		return true;
	}
	if (scope->level < task->endpoint->key_level) {
		*ret_answer = fail_scope(task, task->endpoint->key_level);
		return true;
	}
	if (task->endpoint->is_account_wide && scope->devices.length) {
		*ret_answer =
		    task_fail(task, PROBLEM_KEY_FOR_CHOSEN_DEVICES,
			      "the API key is for chosen devices, but this call concerns the "
			      "whole account; use a key for all devices");
		return true;
	}
	if (task->endpoint->resource != RESOURCE_DEVICE)
		return false;
	if (!task_has_other_devices(task))
		return false;
	*ret_answer = task_fail(task, PROBLEM_KEY_FOR_OTHER_DEVICES, "%s", TASK_OTHER_DEVICES);
	return true;
}

struct db_ids task_key_devices(const struct task *task)
{
	struct str devices = task->key_scope ? task->key_scope->devices : (struct str){0};

	return (struct db_ids){(const struct id *)(const void *)devices.data,
			       (unsigned)(devices.length / ID_BYTES)};
}

const struct key_scope *task_key_scope(const struct task *task)
{
	return task->key_scope;
}

const uint8_t *task_key_hash(const struct task *task)
{
	return task->key_hash;
}
