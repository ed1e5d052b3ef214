#include "api/pages.h"
#include "app_unknown.h"
#include "delivery/delivery.h"
#include "domain/studio.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/admin/apps/{appId}/disable - removes an app from the catalogue, and stops rendering it.
 * POST /web/admin/apps/{appId}/enable - undoes that. */

struct allowing {
	struct app_unknown unknown;
	struct app_told_row named;
	struct app_allow_row row;
	bool is_disabled;
};

static struct step_result changed(struct task *task)
{
	const struct allowing *allowing = task_state(task);
	const struct app_allow_row *row = &allowing->row;
	const struct own_app *app = &row->own_app;

	if (task_row_count(task) == 0)
		return app_unknown(task);
	delivery_app_changed(web_service_of(task)->api.delivery, app->id, row->generation);
	api_tell_author(task, &(struct app){.account_id = row->account_id, .slug = app->slug});
	web_changed(task, (struct id){0}, "apps");
	return task_reply_record(task, 200, &own_app_record, app);
}

static struct step_result app_allow_found(struct task *task)
{
	struct allowing *allowing = task_state(task);

	if (task_row_count(task) == 0)
		return app_unknown(task);
	statement_app_allow(task_new_query(task),
			    &(struct app_allow_parameters){
				.id = allowing->named.id,
				.is_disabled = allowing->is_disabled,
				.actor_id = task_account_id(task),
				.address = web_address(task),
				.session_id = web_session_id(task),
			    },
			    &allowing->row);
	return task_query(task, changed);
}

static struct step_result allow(struct task *task, bool is_disabled)
{
	struct allowing *allowing = task_state(task);

	allowing->is_disabled = is_disabled;
	statement_app_told(task_new_query(task),
			   &(struct app_told_parameters){.app = task_path_parameter(task, 0)},
			   &allowing->named);
	return task_query(task, app_allow_found);
}

static struct step_result enable(struct task *task)
{
	return allow(task, false);
}

static struct step_result disable(struct task *task)
{
	return allow(task, true);
}

static struct step_result refused(struct task *task)
{
	if (task_constraint_error(task) != CONSTRAINT_APP_WITHOUT_OWNER)
		return web_fail_constraint(task);
	return task_fail(task, PROBLEM_APP_ORPHANED,
			 "the account that owned the app was removed, so the app stays disabled");
}

ENDPOINT_APP_ENABLE(.handler = enable, .state_size = sizeof(struct allowing), .refused = refused);
ENDPOINT_APP_DISABLE(.handler = disable, .state_size = sizeof(struct allowing), .refused = refused);
