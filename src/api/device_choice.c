#include "api/device_choice.h"

static void add_once(struct device_choice *chosen, struct id id)
{
	for (unsigned i = 0; i < chosen->count; i++) {
		if (id_equal(chosen->ids[i], id))
			return;
	}
	chosen->ids[chosen->count++] = id;
}

static bool device_choice_fail(struct step_result *ret_answer, struct step_result answer)
{
	*ret_answer = answer;
	return false;
}

bool api_read_devices(struct task *task, struct device_choice *chosen, unsigned max,
		      struct step_result *ret_answer)
{
	struct str sent = http_request_query(task_request(task), STR("devices"));
	struct str rest = {0}, text;
	struct id id;

	if (sent.data && !http_decode(task_arena(task), sent, &rest))
		return device_choice_fail(ret_answer,
					  task_fail(task, PROBLEM_PARAMETER_INVALID,
						    "devices must be percent-encoded UTF-8"));
	while (str_next(&rest, ',', &text)) {
		if (!id_parse(text, &id))
			return device_choice_fail(
			    ret_answer, task_fail(task, PROBLEM_PARAMETER_INVALID,
						  "devices must be IDs separated by commas"));
		if (chosen->count == max)
			return device_choice_fail(ret_answer,
						  task_fail(task, PROBLEM_PARAMETER_INVALID,
							    "devices must be at most %u IDs", max));
		add_once(chosen, id);
	}
	return true;
}
