#include "api/app_name.h"
#include "api/app_work.h"
#include "api/entries.h"
#include "api/operator_note.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/installation.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/installations - installs an app on a device, at the end of its
 * rotation, with the settings of its form. It has no picture until it is rendered. */

struct installation_making {
	struct app_body body; /* first: the pre-handler checks read the request into it */
	struct app_work work;
	char id[ID_TEXT_LENGTH + 1];
	struct device_expire_row expired;
	struct installation_create_row row;
};

static struct step_result fail_no_app(struct task *task)
{
	return task_fail(task, PROBLEM_APP_NOT_FOUND,
			 "there is no such app that this device can install");
}

static struct step_result installation_create_reply(struct task *task)
{
	const struct installation_making *making = task_state(task);

	return task_reply_record(task, 201, &installation_record, &making->row.installation);
}

static struct step_result installed(struct task *task)
{
	const struct installation_making *making = task_state(task);

	/* The app existed a moment ago, since its version is known. */
	if (task_row_count(task) == 0 && !id_is_none(making->work.source.version_id))
		return task_fail(task, PROBLEM_INSTALLATION_CHANGED,
				 "the app's version has changed; load its form again");
	if (task_row_count(task) == 0)
		return fail_no_app(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id, making->row.generation);
	return api_note_change(task, "entry.create", str_from(making->id),
			       installation_create_reply);
}

static struct step_result store(struct task *task)
{
	struct installation_making *making = task_state(task);
	struct app_name name = app_name_of(making->body.app);
	struct stored_settings stored;

	id_format(id_new(), making->id);
	api_encrypt_settings(task, task_device(task)->id, str_from(making->id), &making->work,
			     &stored);
	statement_installation_create(task_new_query(task),
				      &(struct installation_create_parameters){
					  .device_id = task_device(task)->id,
					  .app_id = name.id,
					  .slug = name.slug,
					  .id = str_from(making->id),
					  .settings = stored.open,
					  .secret_settings = stored.encrypted,
					  .settings_hash = stored.hash,
					  .version_id = making->work.source.version_id,
				      },
				      &making->row);
	return task_query(task, installed);
}

static struct step_result expired(struct task *task)
{
	const struct installation_making *making = task_state(task);

	if (task_row_count(task))
		delivery_device_changed(api_delivery(task), task_device(task)->id,
					making->expired.generation);
	return store(task);
}

/* Removes expired entries, which must not count for the device's limit. */
static struct step_result install(struct task *task)
{
	struct installation_making *making = task_state(task);

	statement_device_expire(task_new_query(task),
				&(struct device_expire_parameters){task_device(task)->id},
				&making->expired);
	return task_query(task, expired);
}

static struct step_result form_found(struct task *task)
{
	struct installation_making *making = task_state(task);
	struct step_result answer;

	if (!api_accept_settings(task, &making->work, &making->body.settings, &answer))
		return answer;
	return install(task);
}

static struct step_result app_found(struct task *task)
{
	struct installation_making *making = task_state(task);

	return api_find_whole_form(task, &making->work, &making->body.settings, form_found);
}

static struct step_result installation_create_begin(struct task *task)
{
	struct installation_making *making = task_state(task);
	char *device;

	/* Without settings there is nothing to check against the form. */
	if (making->body.settings.count == 0)
		return install(task);
	device = arena_alloc(task_arena(task), ID_TEXT_LENGTH + 1);
	id_format(task_device(task)->id, device);
	return api_find_app(task, &making->work, making->body.app, str_from(device), STR(""),
			    app_found);
}

static void installation_create_finish(void *state)
{
	app_work_finish(&((struct installation_making *)state)->work);
}

ENDPOINT_INSTALLATION_CREATE(.handler = installation_create_begin,
			     .state_size = sizeof(struct installation_making),
			     .refused = api_entry_refused, .finish = installation_create_finish);
