#include "base/clock.h"
#include "domain/webhook.h"
#include "endpoints.h"
#include "hooks/hooks.h"

#include <text/reach.h>

/* POST /v1/webhooks/{webhookId}/test - sends an event "test" to a webhook at once, and answers with
 * the outcome. The webhook's state does not change. */

struct webhook_trial {
	struct task *task;
	struct id id;
	struct webhook_test_row row;
	struct hook_target target;
	struct hook_post post;
};

static struct step_result webhook_trial_fail(struct task *task)
{
	return task_fail(task, PROBLEM_WEBHOOK_NOT_FOUND, "there is no such webhook");
}

static struct step_result answered(struct task *task)
{
	const struct webhook_trial *trial = task_state(task);
	const struct outbound_request *request = &trial->post.request;
	struct webhook_outcome outcome = {
	    .status = request->status,
	    .problem = request->problem[0] ? str_from(request->problem) : (struct str){0},
	    .took_ms = (int64_t)request->took_ms,
	};

	if (request->is_dropped)
		return task_fail_busy(task, PROBLEM_SERVER_STOPPING, 1,
				      "the server is restarting, try again");
	return task_reply_record(task, 200, &webhook_outcome_record, &outcome);
}

static void on_done(struct outbound_request *request)
{
	struct hook_post *post = container_of(request, struct hook_post, request);

	task_resume(container_of(post, struct webhook_trial, post)->task);
}

static struct step_result send_test(struct task *task)
{
	struct webhook_trial *trial = task_state(task);
	struct arena *arena = task_arena(task);
	struct str body;

	if (task_row_count(task) == 0)
		return webhook_trial_fail(task);
	if (trial->row.is_early) {
		task_add_field(task, STR("Retry-After"), STR("1"));
		return task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
				 "a webhook can be tested at most once a second");
	}
	body = arena_printf(arena,
			    "{\"type\":\"events\",\"timestamp\":\"%.*s\",\"events\":[{\"type\":"
			    "\"test\",\"timestamp\":\"%.*s\",\"data\":{}}]}",
			    STR_ARG(trial->row.sent_at), STR_ARG(trial->row.sent_at));
	trial->task = task;
	trial->target = (struct hook_target){
	    .webhook_id = trial->id,
	    .account_id = task_account_id(task),
	    .url = trial->row.url,
	    .encrypted_secret = trial->row.secret,
	    .previous_secret = trial->row.previous_secret,
	    .lacks = reach_lacks(trial->row.is_local_closed, trial->row.is_marked),
	};
	if (!hook_post_send(&trial->post, api_service(task)->hooks, &trial->target, id_new(),
			    trial->row.wall_time, body, arena, on_done))
		return task_fail(task, PROBLEM_SECRET_UNREADABLE,
				 "its secret was encrypted with another key; create a new secret");
	return task_wait(task, answered);
}

static struct step_result webhook_trial_begin(struct task *task)
{
	struct webhook_trial *trial = task_state(task);

	if (!id_parse(task_path_parameter(task, 0), &trial->id))
		return webhook_trial_fail(task);
	statement_webhook_test(task_new_query(task),
			       &(struct webhook_test_parameters){
				   .id = trial->id,
				   .account_id = task_account_id(task),
			       },
			       &trial->row);
	return task_query(task, send_test);
}

ENDPOINT_WEBHOOK_TEST(.handler = webhook_trial_begin, .state_size = sizeof(struct webhook_trial));
