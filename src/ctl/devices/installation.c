#include "domain/installation.h"
#include "ctl/ctl.h"
#include "domain/secret_settings.h"
#include "installation_row.h"
#include "installation_settings.h"

enum ctl_exit ctl_installation_list(struct ctl *ctl)
{
	struct device device;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl_value(ctl, "device"), &device);

	if (code != CTL_DONE)
		return code;
	statement_installation_options(
	    ctl_new_query(ctl), &(struct installation_options_parameters){.device_id = device.id},
	    NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_rows(ctl, &installation_options_record, &rows);
}

/* The hint is lost if this fails; the servers' sweep finds the change later. */
static enum ctl_exit tell_and_print(struct ctl *ctl, struct id device_id,
				    const struct installation_create_row *row)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_device_tell(
	    ctl_new_query(ctl),
	    &(struct device_tell_parameters){.id = device_id, .generation = row->generation}, NULL);
	code = ctl_query(ctl, &rows);
	return code == CTL_DONE ? ctl_print_row(ctl, &installation_record, &row->installation)
				: code;
}

enum ctl_exit ctl_installation_create(struct ctl *ctl)
{
	static const struct settings none;
	struct installation_settings settings = {0};
	char id[ID_TEXT_LENGTH + 1];
	struct str app = ctl_value(ctl, "app");
	struct id app_id = {0};
	struct device device;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl_value(ctl, "device"), &device);

	if (code != CTL_DONE)
		return code;
	id_format(id_new(), id);
	if (!id_parse(app, &app_id))
		app_id = (struct id){0}; /* a slug */
	stored_settings_make(NULL, device.id, str_from(id), &none, &none, &ctl->arena,
			     &settings.stored);
	if (installation_settings_are_given(ctl, 0))
		code = installation_settings_read(ctl, 0, &device, app, str_from(id),
						  /* is_new= */ true, &settings);
	if (code != CTL_DONE)
		return code;
	statement_installation_create(ctl_new_query(ctl),
				      &(struct installation_create_parameters){
					  .device_id = device.id,
					  .app_id = app_id,
					  .slug = app,
					  .id = str_from(id),
					  .settings = settings.stored.open,
					  .secret_settings = settings.stored.sealed,
					  .settings_hash = settings.stored.hash,
					  .version_id = settings.version_id,
				      },
				      NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_TOO_MANY_INSTALLATIONS)
		return ctl_fail(CTL_REFUSED, "the device has 100 entries already");
	if (rows.count == 0 && !id_is_none(settings.version_id))
		return ctl_fail(CTL_REFUSED, "the app's version was changed meanwhile: try again");
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s that this device can install",
				STR_ARG(ctl_value(ctl, "app")));
	return tell_and_print(ctl, device.id, rows.rows);
}
