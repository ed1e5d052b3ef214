#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "installation_row.h"

/* displayctl installation list, installation show, installation remove */

enum ctl_exit ctl_installation_list(struct ctl *ctl)
{
	struct str name = ctl_value(ctl, "device");
	struct inventory_device device = {0};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_listed_device(ctl, name, &device);

	if (code == CTL_DONE)
		code = ctl_ask_rotation(ctl, device.id, name, &rows);
	return code == CTL_DONE ? ctl_print_rows(ctl, &installation_options_record, &rows) : code;
}

struct shown_row {
	struct options_row options;
	struct str settings;
	struct str secrets; /* JSON: IDs of fields that have a secret */
	bool has_secrets;
	int64_t picture_bytes; /* size of a pushed picture */
};

static const struct record_field detail_fields[] = {
    RECORD_JSON(struct shown_row, settings, .name = "settings", .nullable = true),
    RECORD_JSON(struct shown_row, secrets, .name = "secrets"),
};
static const struct record detail_record = RECORD(struct shown_row, detail_fields);

static const struct record_field fields[] = {
    RECORD_ROW(struct shown_row, options, &installation_options_record, .is_shown = true),
    RECORD_JSON(struct shown_row, settings, .name = "settings"),
    RECORD_BOOL(struct shown_row, has_secrets, .name = "hasSecrets"),
    RECORD_INT8(struct shown_row, picture_bytes, .name = "pictureBytes"),
};

static const struct record shown_record = RECORD(struct shown_row, fields);

/* Finds the device of --device and its installation that the argument names. */
static enum ctl_exit find(struct ctl *ctl, struct inventory_device *ret_device,
			  const struct options_row **ret_options)
{
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl_value(ctl, "device"), ret_device);

	if (code != CTL_DONE)
		return code;
	return ctl_find_installation(ctl, ret_device->id, ctl->positionals[0], false, ret_options);
}

static const struct ctl_request gone = {
    .sentences = {
	{404, NULL, {"the installation is gone", sizeof("the installation is gone") - 1}}}};

enum ctl_exit ctl_installation_show(struct ctl *ctl)
{
	const struct options_row *options = NULL;
	struct inventory_device device = {0};
	struct shown_row shown = {0};
	struct ctl_request request = gone;
	enum ctl_exit code = find(ctl, &device, &options);

	if (code != CTL_DONE)
		return code;
	require(options);
	shown.options = *options;
	request.path = ctl_installation_path(ctl, device.id, options->id);
	code = ctl_ask_row(ctl, &request, &detail_record, &shown);
	if (code != CTL_DONE)
		return code;
	if (options->is_pushed)
		shown.picture_bytes = options->picture_bytes;
	shown.has_secrets = !str_equal(shown.secrets, STR("[]"));
	if (!shown.settings.data)
		shown.settings = STR("{}");
	return ctl_print_row(ctl, &shown_record, &shown);
}

enum ctl_exit ctl_installation_remove(struct ctl *ctl)
{
	const struct options_row *options = NULL;
	struct inventory_device device = {0};
	struct ctl_request request = gone;
	enum ctl_exit code = find(ctl, &device, &options);

	if (code != CTL_DONE)
		return code;
	require(options);
	code = ctl_confirm(ctl, "This removes %.*s from the rotation of \"%.*s\".",
			   STR_ARG(options->app_name.length ? options->app_name : options->id),
			   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	request.path = ctl_installation_path(ctl, device.id, options->id);
	request.method = "DELETE";
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	return code == CTL_DONE ? ctl_print_row(ctl, &installation_options_record, options) : code;
}
