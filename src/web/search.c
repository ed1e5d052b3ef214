#include "search.h"
#include "base/limits.h"

const struct list_range web_search_short = {.after = {.text = {.data = ""}},
					    .limit = LIMIT_LIST_SHORT + 1};

bool web_has_bad_search(struct task *task, const char *parameter, struct str *ret_wanted,
			struct step_result *ret_answer)
{
	struct str wanted = http_request_query(task_request(task), str_from(parameter));

	*ret_wanted = STR("");
	if (!wanted.data || (http_decode(task_arena(task), wanted, ret_wanted) &&
			     ret_wanted->length <= LIMIT_SEARCH_BYTES))
		return false;
	*ret_answer =
	    task_fail(task, PROBLEM_PARAMETER_INVALID, "%s must be a text of at most %d bytes",
		      parameter, LIMIT_SEARCH_BYTES);
	return true;
}

struct step_result web_reply_found(struct task *task, const struct task_list *list)
{
	struct web_search *search = task_state(task);
	struct step_result answer;

	if (web_has_bad_search(task, "q", &search->wanted, &answer))
		return answer;
	return task_reply_list(task, list);
}
