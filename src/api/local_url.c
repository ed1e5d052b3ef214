#include "local_url.h"
#include "endpoints.h"

#include <text/reach.h>

static const struct problem_kind *kind_of(unsigned lacks)
{
	if (lacks & REACH_NOT_LISTED)
		return PROBLEM_LOCAL_NOT_LISTED;
	return lacks & REACH_CLOSED ? PROBLEM_LOCAL_CLOSED : PROBLEM_LOCAL_NOT_OPENED;
}

static struct step_result judged(struct task *task)
{
	const struct local_url *local = *task_helper(task);
	const struct account_reach_row *row = &local->row;
	unsigned lacks = local->lacks | reach_lacks(row->is_local_closed, row->is_marked);

	if (task_row_count(task) == 0 || !lacks ||
	    (row->stored_url.data && str_equal(row->stored_url, local->url)))
		return task_continue(task, local->next);
	return task_fail_field_as(task, kind_of(lacks), "url", REACH_REFUSED "%s",
				  reach_sentence(lacks));
}

struct step_result local_url_check(struct task *task, struct local_url *local, struct str url,
				   struct str host, struct id webhook_id, task_step *next)
{
	if (!reach_host_is_local(host, api_service(task)->listed, &local->lacks))
		return task_continue(task, next);
	local->url = url;
	local->next = next;
	*task_helper(task) = local;
	statement_account_reach(
	    task_new_query(task),
	    &(struct account_reach_parameters){task_account_id(task), webhook_id}, &local->row);
	return task_query(task, judged);
}
