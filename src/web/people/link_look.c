#include "attempts.h"
#include "base/limits.h"
#include "domain/key.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/links/look - the purpose of a one-time link. The token is in the body: a path would be
 * logged. */

struct look {
	struct link_token body; /* first: the pre-handler checks read the request into it */
	uint8_t hash[KEY_HASH_BYTES];
	struct link_entry link;
	struct attempt attempt;
};

struct step_result web_fail_link(struct task *task)
{
	return task_fail(task, PROBLEM_LINK_INVALID, "this link was already used or has expired");
}

static struct step_result fail_attempt(struct task *task)
{
	struct look *look = task_state(task);

	web_attempt_failed(task, &look->attempt);
	return web_fail_link(task);
}

static struct step_result link_look_found(struct task *task)
{
	struct look *look = task_state(task);

	if (task_row_count(task) == 0)
		return fail_attempt(task);
	web_attempt_forget(task, &look->attempt);
	return task_reply_record(task, 200, &link_entry_record, &look->link);
}

static struct step_result link_look_begin(struct task *task)
{
	struct look *look = task_state(task);
	struct step_result answer;

	if (web_attempt_of_nobody(task, &look->attempt, &answer))
		return answer;
	if (!token_is_well_formed(look->body.token))
		return fail_attempt(task);
	key_hash(look->body.token, look->hash);
	statement_link_find(
	    task_new_query(task),
	    &(struct link_find_parameters){{(const char *)look->hash, KEY_HASH_BYTES}},
	    &look->link);
	return task_query(task, link_look_found);
}

ENDPOINT_LINK_LOOK(.handler = link_look_begin, .state_size = sizeof(struct look));
