#include "base/require.h"
#include "base/utf8.h"
#include "ctl/ctl.h"
#include "installation_row.h"

struct shown_row {
	struct options_row options;
	struct installation_show_row more;
};

static const struct record_field fields[] = {
    RECORD_ROW(struct shown_row, options, &installation_options_record, .is_shown = true),
    RECORD_JSON(struct shown_row, more.settings, .name = "settings"),
    RECORD_BOOL(struct shown_row, more.has_secrets, .name = "hasSecrets"),
    RECORD_INT8(struct shown_row, more.picture_bytes, .name = "pictureBytes"),
};
static const struct record record = RECORD(struct shown_row, fields);

/* Finds the device of --device and what the positional names there. */
static enum ctl_exit find(struct ctl *ctl, struct device *ret_device,
			  const struct options_row **ret_options)
{
	struct str id = ctl->positionals[0];
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl_value(ctl, "device"), ret_device);

	if (code != CTL_DONE)
		return code;
	if (!utf8_is_valid(id))
		return ctl_fail(CTL_USAGE, "the installation's ID must be UTF-8");
	statement_installation_options(
	    ctl_new_query(ctl),
	    &(struct installation_options_parameters){.device_id = ret_device->id, .id = id}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "the device has no installation %.*s", STR_ARG(id));
	*ret_options = rows.rows;
	return CTL_DONE;
}

enum ctl_exit ctl_installation_show(struct ctl *ctl)
{
	const struct options_row *options = NULL;
	struct device device = {0};
	struct shown_row shown;
	struct ctl_rows rows;
	enum ctl_exit code = find(ctl, &device, &options);

	if (code != CTL_DONE)
		return code;
	require(options);
	shown.options = *options;
	statement_installation_show(ctl_new_query(ctl),
				    &(struct installation_show_parameters){
					.device_id = device.id,
					.id = options->id,
				    },
				    NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "the installation is gone");
	shown.more = *(const struct installation_show_row *)rows.rows;
	if (!shown.more.settings.data)
		shown.more.settings = STR("{}");
	return ctl_print_row(ctl, &record, &shown);
}

enum ctl_exit ctl_installation_remove(struct ctl *ctl)
{
	const struct options_row *options = NULL;
	struct device device = {0};
	struct ctl_rows rows;
	enum ctl_exit code = find(ctl, &device, &options);

	if (code != CTL_DONE)
		return code;
	require(options);
	code = ctl_confirm(ctl, "This removes %.*s from the rotation of \"%.*s\".",
			   STR_ARG(options->app_name.length ? options->app_name : options->id),
			   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	statement_installation_delete(ctl_new_query(ctl),
				      &(struct installation_delete_parameters){
					  .device_id = device.id,
					  .id = options->id,
				      },
				      NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "the installation is gone");
	/* The hint is lost if this fails; the servers' sweep finds the change later. */
	statement_device_tell(
	    ctl_new_query(ctl),
	    &(struct device_tell_parameters){
		.id = device.id,
		.generation = ((const struct installation_delete_row *)rows.rows)->generation,
	    },
	    NULL);
	code = ctl_query(ctl, &rows);
	return code == CTL_DONE ? ctl_print_row(ctl, &installation_options_record, options) : code;
}
