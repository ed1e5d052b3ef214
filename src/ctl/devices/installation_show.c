#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/installation.h"
#include "installation_row.h"

#include <stdlib.h>

/* displayctl installation list, installation show, installation remove */

enum ctl_exit ctl_installation_list(struct ctl *ctl)
{
	struct inventory_device device = {0};
	struct ctl_request request = {0};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl_value(ctl, "device"), &device);

	request.path = ctl_path(ctl, "/v1/devices/", device.id, "/installations");
	request.sentences[0] = (struct ctl_sentence){
	    404, NULL,
	    ARENA_JOIN(&ctl->arena, STR("there is no device "), ctl_value(ctl, "device"))};
	/* An API key can read options only of single entries. */
	if (code == CTL_DONE && remote_has_key_only(ctl))
		return ctl_list(ctl, &request, &installation_record);
	if (code == CTL_DONE)
		code = ctl_ask_rotation(ctl, device.id, &rows);
	return code == CTL_DONE ? ctl_print_rows(ctl, installation_options_record(ctl), &rows)
				: code;
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
    RECORD_JSON(struct shown_row, settings, .name = "settings"),
    RECORD_BOOL(struct shown_row, has_secrets, .name = "hasSecrets"),
    RECORD_INT8(struct shown_row, picture_bytes, .name = "pictureBytes"),
};

/* Prints the options and further fields. */
static enum ctl_exit print(const struct ctl *ctl, const struct shown_row *shown)
{
	const struct record_field all[] = {
	    RECORD_ROW(struct shown_row, options, installation_options_record(ctl),
		       .is_shown = true),
	    fields[0],
	    fields[1],
	    fields[2],
	};
	struct record record = RECORD(struct shown_row, all);

	/* Leave out the picture, which an API key cannot read. */
	record.field_count -= remote_has_key_only(ctl);
	return ctl_print_row(ctl, &record, shown);
}

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

static enum ctl_exit read_picture(struct ctl *ctl, struct id device_id, struct shown_row *shown)
{
	struct ctl_field size[] = {{.name = "Content-Length"}, {0}};
	struct ctl_request request = gone;
	enum ctl_exit code;

	if (!shown->options.is_pushed || !shown->options.picture.data || remote_has_key_only(ctl))
		return CTL_DONE;
	request.path =
	    ARENA_JOIN(&ctl->arena, ctl_path(ctl, "/web/devices/", device_id, "/pictures/"),
		       shown->options.picture);
	request.fields = size;
	code = ctl_ask_bytes(ctl, &request);
	if (code == CTL_DONE && size[0].value.data)
		shown->picture_bytes = strtoll(size[0].value.data, NULL, 10);
	return code;
}

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
	if (code == CTL_DONE)
		code = read_picture(ctl, device.id, &shown);
	if (code != CTL_DONE)
		return code;
	shown.has_secrets = !str_equal(shown.secrets, STR("[]"));
	if (!shown.settings.data)
		shown.settings = STR("{}");
	return print(ctl, &shown);
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
	return code == CTL_DONE ? ctl_print_row(ctl, installation_options_record(ctl), options)
				: code;
}
