#include "api/operator_note.h"
#include "api/pages.h"
#include "base/clock.h"
#include "domain/app_archive.h"
#include "endpoints.h"

/* /v1/collections and /v1/collections/{collectionId} - collections of apps that the server fetches
 * (collections/collections.h): those of the account, and those for all, which administrators
 * change. A change wakes the fetcher and the pages by the topic "collections", or "admin". */

struct collection_change {
	struct app_archive_creation
	    body; /* first: the pre-handler checks read the request into it */
	struct id id;
	struct app_archive row;
	struct app_archive_remove_row removed;
};

/* Changes of an account, over all of its keys and sessions: each may cost a download. */
static const struct rate_policy change_rate = {
    .name = "collections",
    .seconds_each = 30,
    .burst = 20,
};

static struct step_result collections_fail(struct task *task)
{
	return task_fail(task, PROBLEM_COLLECTION_NOT_FOUND, "there is no such collection");
}

/* Returns whether the account has changed its collections too often; *ret_answer is 429 then. */
static bool changes_too_often(struct task *task, struct step_result *ret_answer)
{
	struct rate_result result;

	if (task_is_of_operator(task) || !task_service(task)->key_rate.per_second)
		return false;
	result = rate_take(task_service(task)->rates, &change_rate, task_account_id(task),
			   clock_monotonic_us());
	if (result.is_allowed)
		return false;
	task_add_field(task, STR("Retry-After"),
		       arena_decimal(task_arena(task), result.retry_after_s));
	*ret_answer = task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
				"the account's collections change too often: at most 20 times in a "
				"row, then once in 30 s");
	return true;
}

static void tell(struct task *task, struct id account_id, bool is_for_all)
{
	if (is_for_all)
		api_tell_pages(task, (struct id){0}, STR("admin"));
	else
		api_tell_pages(task, account_id, STR("collections"));
}

/* ---- add ---- */

static struct step_result add_refused(struct task *task)
{
	switch (task_constraint_error(task)) {
	case CONSTRAINT_COLLECTION_EXISTS:
	case CONSTRAINT_COLLECTION_EXISTS_OWN:
		return task_fail(task, PROBLEM_COLLECTION_EXISTS,
				 "this collection is here already: fetch it again");
	case CONSTRAINT_TOO_MANY_COLLECTIONS:
		return task_fail(task, PROBLEM_COLLECTIONS_TOO_MANY,
				 "there are too many collections already (5 of an account, 20 for "
				 "all), remove one first");
	case CONSTRAINT_NOT_FOR_ALL:
		return task_fail(task, PROBLEM_NOT_ADMINISTRATOR,
				 "only administrators add collections for all");
	default:
		return task_fail_constraint(task);
	}
}

static struct step_result added(struct task *task)
{
	const struct collection_change *change = task_state(task);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	tell(task, task_account_id(task), change->row.is_for_all);
	return task_reply_record(task, 201, &app_archive_record, &change->row);
}

static struct step_result begin_add(struct task *task)
{
	struct collection_change *change = task_state(task);
	const struct app_archive_creation *body = &change->body;
	struct step_result answer;

	if (changes_too_often(task, &answer))
		return answer;
	statement_app_archive_add(task_new_query(task),
				  &(struct app_archive_add_parameters){
				      .id = id_new(),
				      .account_id = task_account_id(task),
				      .name = app_archive_name(body->url, task_arena(task)),
				      .url = body->url,
				      .folder = body->folder.data ? body->folder : STR(""),
				      .is_for_all = body->is_for_all,
				      .by_operator = task_is_of_operator(task),
				      .address = task_request(task)->remote_address,
				      .session_id = api_noted_session(task),
				  },
				  &change->row);
	return task_query(task, added);
}

ENDPOINT_APP_ARCHIVE_ADD(.handler = begin_add, .state_size = sizeof(struct collection_change),
			 .refused = add_refused);

/* ---- fetch, confirm ---- */

static struct step_result changed(struct task *task)
{
	const struct collection_change *change = task_state(task);

	if (task_row_count(task) == 0)
		return collections_fail(task);
	tell(task, task_account_id(task), change->row.is_for_all);
	return task_reply_record(task, 200, &app_archive_record, &change->row);
}

/* Reads the collection's ID and counts the change. Returns false, with the answer, if it is
 * refused. */
static bool may_change(struct task *task, struct collection_change *change,
		       struct step_result *ret_answer)
{
	if (id_parse(task_path_parameter(task, 0), &change->id))
		return !changes_too_often(task, ret_answer);
	*ret_answer = collections_fail(task);
	return false;
}

static struct step_result begin_fetch(struct task *task)
{
	struct collection_change *change = task_state(task);
	struct step_result answer;

	if (!may_change(task, change, &answer))
		return answer;
	statement_app_archive_fetch(task_new_query(task),
				    &(struct app_archive_fetch_parameters){
					.id = change->id,
					.account_id = task_account_id(task),
					.by_operator = task_is_of_operator(task),
					.address = task_request(task)->remote_address,
					.session_id = api_noted_session(task),
				    },
				    &change->row);
	return task_query(task, changed);
}

ENDPOINT_APP_ARCHIVE_FETCH(.handler = begin_fetch, .state_size = sizeof(struct collection_change));

static struct step_result begin_confirm(struct task *task)
{
	struct collection_change *change = task_state(task);
	struct step_result answer;

	if (!may_change(task, change, &answer))
		return answer;
	statement_app_archive_confirm(task_new_query(task),
				      &(struct app_archive_confirm_parameters){
					  .id = change->id,
					  .account_id = task_account_id(task),
					  .by_operator = task_is_of_operator(task),
					  .address = task_request(task)->remote_address,
					  .session_id = api_noted_session(task),
				      },
				      &change->row);
	return task_query(task, changed);
}

ENDPOINT_APP_ARCHIVE_CONFIRM(.handler = begin_confirm,
			     .state_size = sizeof(struct collection_change));

/* ---- remove ---- */

static struct step_result removed(struct task *task)
{
	const struct collection_change *change = task_state(task);
	const struct app_archive_remove_row *row = &change->removed;

	if (task_row_count(task) == 0)
		return collections_fail(task);
	tell(task, row->account_id, row->is_for_all);
	if (!row->is_for_all)
		api_tell_pages(task, row->account_id, STR("apps"));
	return task_reply_empty(task, 200);
}

static struct step_result begin_remove(struct task *task)
{
	struct collection_change *change = task_state(task);

	if (!id_parse(task_path_parameter(task, 0), &change->id))
		return collections_fail(task);
	statement_app_archive_remove(task_new_query(task),
				     &(struct app_archive_remove_parameters){
					 .id = change->id,
					 .account_id = task_account_id(task),
					 .by_operator = task_is_of_operator(task),
					 .address = task_request(task)->remote_address,
					 .session_id = api_noted_session(task),
				     },
				     &change->removed);
	return task_query(task, removed);
}

ENDPOINT_APP_ARCHIVE_REMOVE(.handler = begin_remove,
			    .state_size = sizeof(struct collection_change));
