#include "api/pages.h"
#include "db/db.h"
#include "task/service.h"

void api_tell_pages(struct task *task, struct id account_id, struct str topic)
{
	char id[ID_TEXT_LENGTH + 1];

	id_format(account_id, id);
	db_hint(task_service(task)->db,
		arena_printf(task_arena(task), "changed:%s:%.*s", id, STR_ARG(topic)));
}

void api_tell_author(struct task *task, const struct app *app)
{
	api_tell_pages(task, app->account_id,
		       arena_printf(task_arena(task), "app:%.*s", STR_ARG(app->slug)));
}
