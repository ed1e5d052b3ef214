#include "api/catalogue.h"
#include "web/access.h"
#include "web/endpoints.h"

/* GET /web/apps/{appId} - an app that the account can install. */

static struct step_result catalogue_get_begin(struct task *task)
{
	return api_get_app(task, &catalogue_app_record);
}

ENDPOINT_CATALOGUE_GET(.handler = catalogue_get_begin, .state_size = sizeof(struct api_app_get));
