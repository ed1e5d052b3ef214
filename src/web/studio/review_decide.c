#include "api/pages.h"
#include "api/version_wait.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/review.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/reviews/{versionId} - approves a version, which publishes it, requests changes or
 * rejects it. Reviewers cannot review their own versions, unless there is no other reviewer. */

struct deciding {
	struct review_decision body; /* first: the pre-handler checks read the request into it */
	struct review_done done;
	struct version_wait wait;
};

static task_step review_decide_begin;

static struct step_result review_decide_fail(struct task *task)
{
	return task_fail(task, PROBLEM_VERSION_NOT_FOUND, "there is no such version");
}

static struct step_result decided(struct task *task)
{
	struct deciding *deciding = task_state(task);
	const struct review_done *done = &deciding->done;
	struct step_result result;

	if (task_row_count(task) == 0)
		return review_decide_fail(task);
	if (done->is_own)
		return task_fail(task, PROBLEM_OWN_VERSION,
				 "this is your own version; another reviewer must decide");
	if (done->is_broken)
		return api_fail_broken(task, "approved", done->fault);
	if (done->is_unchecked) {
		if (api_version_wait(task, &deciding->wait, done->id, review_decide_begin, &result))
			return result;
		return api_fail_unchecked(task, done->script_language);
	}
	if (!done->is_reviewed)
		return task_fail(task, PROBLEM_VERSION_CHANGED,
				 "the version is not awaiting review: it is %.*s",
				 STR_ARG(done->status));
	if (done->generation)
		delivery_app_changed(web_service_of(task)->api.delivery, done->app_id,
				     done->generation);
	api_tell_author(task, &(struct app){.account_id = done->account_id, .slug = done->slug});
	web_changed(task, (struct id){0}, "reviews");
	return task_reply_record(task, 200, &review_done_record, done);
}

static struct step_result review_decide_begin(struct task *task)
{
	struct deciding *deciding = task_state(task);
	const struct review_decision *body = &deciding->body;
	const struct person *person = web_person(task);
	struct str author = body->author;
	struct id id;

	if (person && author.data)
		return task_fail_field(task, "author",
				       "may be set only by the operator of the machine");
	if (person)
		author = person->name;
	else if (!author.data)
		author = STR("reviewer");
	if (!id_parse(task_path_parameter(task, 0), &id))
		return review_decide_fail(task);
	statement_app_version_review(task_new_query(task),
				     &(struct app_version_review_parameters){
					 .id = id,
					 .reviewer_id = task_account_id(task),
					 .author = author,
					 .status = body->status,
					 .summary = body->summary,
					 .reason = body->reason,
					 .comments = {body->texts, body->comment_count},
					 .lines = {body->lines, body->comment_count},
					 .needs_check = api_needs_check(task),
					 .address = web_address(task),
					 .session_id = web_session_id(task),
				     },
				     &deciding->done);
	return task_query(task, decided);
}

static void review_decide_finish(void *state)
{
	version_wait_finish(&((struct deciding *)state)->wait);
}

ENDPOINT_REVIEW_DECIDE(.handler = review_decide_begin, .state_size = sizeof(struct deciding),
		       .finish = review_decide_finish);
