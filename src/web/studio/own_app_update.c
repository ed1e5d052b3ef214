#include "api/pages.h"
#include "base/limits.h"
#include "domain/studio.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* PATCH /web/studio/{appId} - changes the app's name, its summary, and who can install it. Existing
 * installations stay. */

struct update {
	struct app_update change; /* first: the pre-handler checks read the request into it */
	struct own_app app;	  /* after the change */
};

static struct step_result updated(struct task *task)
{
	const struct update *update = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_APP_NOT_FOUND, "there is no such app");
	api_tell_author(task, task_app(task));
	/* The update may have added the app to the catalogue, or removed it. */
	web_changed(task, (struct id){0}, "apps");
	return task_reply_record(task, 200, &own_app_record, &update->app);
}

static struct step_result own_app_update_begin(struct task *task)
{
	struct update *update = task_state(task);

	statement_app_update(task_new_query(task),
			     &(struct app_update_parameters){
				 .id = task_app(task)->id,
				 .change = &update->change,
				 .change_present = task_body_present(task),
			     },
			     &update->app);
	return task_query(task, updated);
}

ENDPOINT_OWN_APP_UPDATE(.handler = own_app_update_begin, .state_size = sizeof(struct update),
			.refused = web_fail_constraint);
