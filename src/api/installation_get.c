#include "endpoints.h"
#include "installation_view.h"

/* GET /v1/devices/{deviceId}/installations/{installationId} - an installation, with everything that
 * its owner can set. */

struct get {
	struct installation_view view;
};

static struct step_result installation_get_found(struct task *task)
{
	struct get *get = task_state(task);

	installation_view_make(task, &get->view);
	return installation_view_reply(task, &get->view);
}

static struct step_result installation_get_begin(struct task *task)
{
	struct get *get = task_state(task);

	return installation_view_find(task, &get->view, NULL, installation_get_found);
}

static void installation_get_finish(void *state)
{
	installation_view_finish(&((struct get *)state)->view);
}

ENDPOINT_INSTALLATION_GET(.handler = installation_get_begin, .state_size = sizeof(struct get),
			  .finish = installation_get_finish);
