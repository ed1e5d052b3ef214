#include "base/buffer.h"
#include "db/statements.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"

#include <text/reach.h>

/* GET /web/account/reach - whether a host that is being typed can be reached, in the words of the
 * answers that refuse it later (api/local_url.h). No host is looked up. */

struct person_reach {
	bool is_by_app; /* an installed app needs no mark of the account */
	unsigned lacks;
	struct account_reach_row row;
};

static struct step_result person_reach_reply(struct task *task, unsigned lacks)
{
	struct buffer json = {0};
	struct step_result answer;

	buffer_append_str(&json, STR("{\"problem\":"));
	if (lacks)
		buffer_printf(&json, "\"%s%s\"", REACH_REFUSED, reach_sentence(lacks));
	else
		buffer_append_str(&json, STR("null"));
	buffer_append_char(&json, '}');
	answer = task_reply_json(task, 200, &json);
	buffer_finish(&json);
	return answer;
}

static struct step_result judged(struct task *task)
{
	const struct person_reach *reach = task_state(task);
	const struct account_reach_row *row = &reach->row;

	if (task_row_count(task) == 0)
		return task_refuse(task);
	return person_reach_reply(
	    task,
	    reach->lacks | reach_lacks(row->is_local_closed, row->is_marked || reach->is_by_app));
}

static struct step_result person_reach_begin(struct task *task)
{
	struct person_reach *reach = task_state(task);
	struct step_result answer;
	struct str host;

	if (task_has_bad_text(task, "host", &host, &answer) ||
	    task_has_bad_switch(task, "byApp", &reach->is_by_app, &answer))
		return answer;
	if (!reach_host_is_local(host, web_service_of(task)->api.listed, &reach->lacks))
		return person_reach_reply(task, 0);
	statement_account_reach(task_new_query(task),
				&(struct account_reach_parameters){task_account_id(task)},
				&reach->row);
	return task_query(task, judged);
}

ENDPOINT_PERSON_REACH(.handler = person_reach_begin, .state_size = sizeof(struct person_reach));
