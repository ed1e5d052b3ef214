#include "base/limits.h"
#include "domain/studio.h"
#include "web/access.h"
#include "web/endpoints.h"
#include "web/search.h"

/* GET /web/apps - the apps that the account can install, by name; with "q", those with the text in
 * their name, slug, summary, author's name, category or tags. With "broken=true" also those that
 * their collection calls broken. */

struct wish {
	struct web_search search; /* first: the search reads it as the task's state */
	bool with_broken;
};

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct wish *wish = task_state(task);

	if (wish->search.wanted.length)
		statement_catalogue_search(query,
					   &(struct catalogue_search_parameters){
					       .account_id = task_account_id(task),
					       .with_broken = wish->with_broken,
					       .wanted = wish->search.wanted,
					       .after_name = range->after.text,
					       .after_id = range->after.id,
					       .row_limit = range->limit,
					   },
					   NULL);
	else
		statement_catalogue_part(query,
					 &(struct catalogue_part_parameters){
					     .account_id = task_account_id(task),
					     .with_broken = wish->with_broken,
					     .after_name = range->after.text,
					     .after_id = range->after.id,
					     .row_limit = range->limit,
					 },
					 NULL);
}

static void ask_short(struct task *task, struct db_query *query)
{
	const struct wish *wish = task_state(task);

	if (wish->search.wanted.length)
		ask_part(task, query, &web_search_short);
	else
		statement_catalogue_list(query,
					 &(struct catalogue_list_parameters){
					     .account_id = task_account_id(task),
					     .with_broken = wish->with_broken,
					 },
					 NULL);
}

static struct list_position position(const void *row)
{
	const struct catalogue_app *app = row;

	return (struct list_position){.id = app->id, .text = app->name};
}

static const struct task_list list = {
    .letter = 'c',
    .parameters = {"q", "broken"},
    .is_compressed = true,
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &catalogue_app_record,
    .position = position,
};

static struct step_result begin(struct task *task)
{
	struct wish *wish = task_state(task);
	struct step_result answer;

	if (task_has_bad_switch(task, "broken", &wish->with_broken, &answer))
		return answer;
	return web_reply_found(task, &list);
}

const struct endpoint endpoint_catalogue_list = {
    .handler = begin,
    .state_size = sizeof(struct wish),
    ENDPOINT_CATALOGUE_LIST,
};
