#include "search.h"
#include "base/limits.h"

bool web_has_bad_search(struct task *task, struct str *ret_wanted, struct verdict *ret_answer)
{
	struct str wanted = http_request_query(task_request(task), STR("q"));

	*ret_wanted = STR("");
	if (!wanted.data || (http_decode(task_arena(task), wanted, ret_wanted) &&
			     ret_wanted->length <= LIMIT_SEARCH_BYTES))
		return false;
	*ret_answer =
	    task_fail(task, 400, "q must be a text of at most %d bytes", LIMIT_SEARCH_BYTES);
	return true;
}
