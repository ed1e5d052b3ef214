#include "domain/app_import.h"
#include "web/access.h"
#include "web/endpoints.h"

/* POST /web/admin/collections - the operator begins an import of a checkout: which collection its
 * apps belong to, and which of them the collection has. */

struct choice {
	struct collection_choice body; /* first: the pre-handler checks read the request into it */
	struct app_collection_choose_row row;
};

static const struct record_field fields[] = {
    RECORD_ID(struct choice, row.id, .name = "collectionId", .nullable = true),
    RECORD_STR(struct choice, row.name, .name = "collection"),
    RECORD_JSON(struct choice, row.apps, .name = "apps"),
};
static const struct record shown_record = RECORD(struct choice, fields);

static struct step_result chosen(struct task *task)
{
	const struct choice *choice = task_state(task);

	if (task_row_count(task) == 0 || !choice->row.name.data)
		return task_fail(task, PROBLEM_COLLECTION_CONFLICT,
				 "a collection of this name from another source already exists");
	return task_reply_record(task, 200, &shown_record, choice);
}

static struct step_result collection_choose_begin(struct task *task)
{
	struct choice *choice = task_state(task);
	const struct collection_choice *body = &choice->body;

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	if (id_is_none(task_account_id(task)))
		return task_fail(task, PROBLEM_ACCOUNT_NEEDED,
				 "the header Displayd-Account is missing");
	statement_app_collection_choose(task_new_query(task),
					&(struct app_collection_choose_parameters){
					    .account_id = task_account_id(task),
					    .name = body->name,
					    .is_given = body->is_given,
					    .source = body->source,
					    .lines = body->lines,
					    .only_check = body->only_check,
					},
					&choice->row);
	return task_query(task, chosen);
}

ENDPOINT_COLLECTION_CHOOSE(.handler = collection_choose_begin, .state_size = sizeof(struct choice));
