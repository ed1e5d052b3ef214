#include "chosen_devices.h"
#include "base/limits.h"
#include "endpoints.h"

static task_step next_device;

static void write_problem(struct buffer *json, const struct device_problem *problem)
{
	buffer_printf(json, ",\"status\":%d,\"code\":\"%s\",\"detail\":", problem->kind->status,
		      problem->kind->code);
	json_write_str(json, problem->detail);
	if (problem->retry_after_s)
		buffer_printf(json, ",\"retryAfter\":%u", problem->retry_after_s);
}

struct step_result chosen_devices_note(struct task *task, struct chosen_devices *chosen,
				       const struct device_problem *problem, struct str shown)
{
	struct buffer *json = &chosen->json;

	*task_helper(task) = chosen;
	buffer_append_str(json, chosen->count++ ? STR(",{\"device\":") : STR("{\"device\":"));
	json_write_str(json, chosen->name);
	if (problem->kind)
		write_problem(json, problem);
	else
		buffer_append_str(json, STR(",\"status\":200"));
	if (!problem->kind && shown.data) {
		buffer_append_str(json, STR(",\"shown\":"));
		json_write_str(json, shown);
	}
	buffer_append_char(json, '}');
	if (chosen->count_status)
		chosen->count_status(problem->kind ? problem->kind->status : 200);
	return task_continue(task, next_device);
}

static struct step_result chosen_device_found(struct task *task)
{
	struct chosen_devices *chosen = *task_helper(task);
	struct device_problem problem = {PROBLEM_DEVICE_NOT_FOUND, STR("there is no such device"),
					 0};
	const char *why = "";

	if (task_row_count(task) == 0)
		return chosen_devices_note(task, chosen, &problem, (struct str){0});
	problem.kind = task_device_problem(task, &why);
	problem.detail = str_from(why);
	if (problem.kind)
		return chosen_devices_note(task, chosen, &problem, (struct str){0});
	return task_continue(task, chosen->each);
}

static bool take_name(struct task *task, struct chosen_devices *chosen)
{
	const struct json_value *item;
	char text[ID_TEXT_LENGTH + 1];
	struct id id;

	if (!chosen->is_for_all)
		return json_next_item(&chosen->names, &item) && json_get_str(item, &chosen->name);
	if (chosen->all.ids.length == 0)
		return false;
	memcpy(id.bytes, chosen->all.ids.data, ID_BYTES);
	chosen->all.ids = str_from_offset(chosen->all.ids, ID_BYTES);
	id_format(id, text);
	chosen->name = arena_copy(task_arena(task), str_from(text));
	return true;
}

static struct step_result next_device(struct task *task)
{
	struct chosen_devices *chosen = *task_helper(task);

	/* If the client has left, nothing is done for the remaining devices: it may ask again. */
	if (!http_request_is_abandoned(task_request(task)) && take_name(task, chosen))
		return task_find_device(task, chosen->name, chosen_device_found);
	buffer_append_str(&chosen->json, STR("]}"));
	return task_reply_json(task, 200, &chosen->json);
}

static struct step_result listed(struct task *task)
{
	const struct chosen_devices *chosen = *task_helper(task);

	if (chosen->all.ids.length / ID_BYTES > LIMIT_PUSH_ALL_DEVICES)
		return task_fail(
		    task, PROBLEM_DEVICES_TOO_MANY,
		    "the account has more than %d devices; choose up to %d of them with devices",
		    LIMIT_PUSH_ALL_DEVICES, LIMIT_PUSH_DEVICES);
	return task_continue(task, next_device);
}

struct step_result chosen_devices_walk(struct task *task, struct chosen_devices *chosen,
				       const struct json_value *devices, bool is_for_all)
{
	*task_helper(task) = chosen;
	chosen->is_for_all = is_for_all;
	buffer_append_str(&chosen->json, STR("{\"devices\":["));
	if (!is_for_all) {
		chosen->names = json_walk(devices);
		return task_continue(task, next_device);
	}
	statement_push_devices(
	    task_new_query(task),
	    &(struct push_devices_parameters){task_account_id(task), task_key_devices(task)},
	    &chosen->all);
	return task_query(task, listed);
}

void chosen_devices_finish(struct chosen_devices *chosen)
{
	buffer_finish(&chosen->json);
}
