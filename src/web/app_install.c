#include "access.h"
#include "app_name.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/installation.h"
#include "domain/studio.h"
#include "endpoints.h"

/* POST /web/devices/{deviceId}/apps - installs an app on a device, at the end of its rotation. It
 * has no picture until it is rendered. */

struct installation_making {
	struct installing body; /* first: the prologue reads the request into it */
	char id[ID_TEXT_LENGTH + 1];
	struct installation_create_row row;
};

static struct verdict installed(struct task *task)
{
	const struct installation_making *making = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, 404, "there is no such app that this device can install");
	delivery_device_changed(web_service_of(task)->api.delivery, task_device(task)->id,
				making->row.generation);
	return task_reply_record(task, 201, &installation_record, &making->row.installation);
}

static struct verdict begin(struct task *task)
{
	struct installation_making *making = task_state(task);
	struct app_name name = app_name_of(making->body.app);

	id_format(id_new(), making->id);
	statement_installation_create(task_new_query(task),
				      &(struct installation_create_parameters){
					  .device_id = task_device(task)->id,
					  .app_id = name.id,
					  .slug = name.slug,
					  .id = str_from(making->id),
				      },
				      &making->row);
	return task_query(task, installed);
}

const struct endpoint endpoint_app_install = {
    .name = "app_install",
    .handler = begin,
    .access = &access_session,
    .resource = RESOURCE_DEVICE,
    .body = &installing_record,
    .body_max_bytes = LIMIT_PAGE_BODY_BYTES,
    .state_size = sizeof(struct installation_making),
    .refused = web_fail_refusal,
};
