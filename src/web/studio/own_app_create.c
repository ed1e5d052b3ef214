#include "base/limits.h"
#include "domain/studio.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/studio - makes an app. It is invisible to others until its first version is approved.
 */

struct creation {
	struct app_creation body; /* first: the pre-handler checks read the request into it */
	struct own_app app;
};

static struct step_result created(struct task *task)
{
	const struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	web_changed(task, task_account_id(task), "apps");
	return task_reply_record(task, 201, &own_app_record, &creation->app);
}

static struct str given_or(struct str given, const char *fallback)
{
	return given.data ? given : str_from(fallback);
}

static struct step_result own_app_create_begin(struct task *task)
{
	struct creation *creation = task_state(task);
	const struct app_creation *body = &creation->body;

	if (body->visibility.data && str_equal(body->visibility, STR("legacy")) &&
	    !task_is_of_operator(task))
		return task_fail_field(task, "visibility", APP_VISIBILITY_FAULT);
	statement_app_create(task_new_query(task),
			     &(struct app_create_parameters){
				 .id = id_new(),
				 .account_id = task_account_id(task),
				 .name = body->name,
				 .slug = body->slug,
				 .description = given_or(body->description, ""),
				 .visibility = given_or(body->visibility, "private"),
				 .actor_id = task_account_id(task),
				 .address = web_address(task),
				 .session_id = web_session_id(task),
			     },
			     &creation->app);
	return task_query(task, created);
}

ENDPOINT_OWN_APP_CREATE(.handler = own_app_create_begin, .state_size = sizeof(struct creation),
			.refused = web_fail_constraint);
