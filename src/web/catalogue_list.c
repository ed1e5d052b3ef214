#include "access.h"
#include "base/limits.h"
#include "domain/studio.h"
#include "endpoints.h"
#include "search.h"

/* GET /web/apps - the apps that the account can install, by name; with "q", those that have the
 * text in their name, slug, summary or author's name. */

static void ask_part(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct web_search *search = task_state(task);

	if (search->wanted.length)
		statement_catalogue_search(query,
					   &(struct catalogue_search_parameters){
					       .account_id = task_account_id(task),
					       .wanted = search->wanted,
					       .after_name = range->after.text,
					       .after_id = range->after.id,
					       .row_limit = range->limit,
					   },
					   NULL);
	else
		statement_catalogue_part(query,
					 &(struct catalogue_part_parameters){
					     .account_id = task_account_id(task),
					     .after_name = range->after.text,
					     .after_id = range->after.id,
					     .row_limit = range->limit,
					 },
					 NULL);
}

static void ask_short(struct task *task, struct db_query *query)
{
	const struct web_search *search = task_state(task);

	if (search->wanted.length)
		ask_part(task, query, &web_search_short);
	else
		statement_catalogue_list(
		    query, &(struct catalogue_list_parameters){task_account_id(task)}, NULL);
}

static struct list_place place(const void *row)
{
	const struct catalogue_app *app = row;

	return (struct list_place){.id = app->id, .text = app->name};
}

static const struct task_list list = {
    .letter = 'c',
    .parameter = "q",
    .ask_short = ask_short,
    .ask_part = ask_part,
    .record = &catalogue_app_record,
    .place = place,
};

static struct verdict begin(struct task *task)
{
	return web_reply_found(task, &list);
}

const struct endpoint endpoint_catalogue_list = {
    .handler = begin,
    .state_size = sizeof(struct web_search),
    ENDPOINT_CATALOGUE_LIST,
};
