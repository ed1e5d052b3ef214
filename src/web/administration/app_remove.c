#include "api/pages.h"
#include "app_unknown.h"
#include "delivery/delivery.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"
#include "web/people/removals.h"

/* DELETE /web/admin/apps/{appId} - the operator or an administrator removes an app. When this is
 * answered, the app is invisible; its versions, and its installations on all devices, are removed
 * in portions (removals.h). */

struct removal {
	struct app_unknown unknown;
	struct app_told_row named;
	struct app_remove_row row;
};

static struct step_result marked(struct task *task)
{
	const struct removal *removal = task_state(task);
	const struct app_remove_row *row = &removal->row;

	if (task_row_count(task) == 0)
		return app_unknown(task);
	delivery_app_changed(web_service_of(task)->api.delivery, row->id, row->generation);
	api_tell_author(task, &(struct app){.account_id = row->account_id, .slug = row->slug});
	web_changed(task, (struct id){0}, "apps");
	web_changed(task, (struct id){0}, "reviews");
	removals_look(web_service_of(task)->removals);
	return task_reply_empty(task, 200);
}

static struct step_result app_remove_found(struct task *task)
{
	struct removal *removal = task_state(task);

	if (task_row_count(task) == 0)
		return app_unknown(task);
	statement_app_remove(task_new_query(task),
			     &(struct app_remove_parameters){
				 .id = removal->named.id,
				 .by_operator = task_is_of_operator(task),
				 .actor_id = task_account_id(task),
				 .address = web_address(task),
				 .session_id = web_session_id(task),
			     },
			     &removal->row);
	return task_query(task, marked);
}

static struct step_result app_remove_begin(struct task *task)
{
	struct removal *removal = task_state(task);

	statement_app_told(task_new_query(task),
			   &(struct app_told_parameters){.app = task_path_parameter(task, 0)},
			   &removal->named);
	return task_query(task, app_remove_found);
}

ENDPOINT_APP_REMOVE(.handler = app_remove_begin, .state_size = sizeof(struct removal));
