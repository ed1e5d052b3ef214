#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/device.h"

/* Commands that change existing devices: update, remove. */

struct removed_row {
	struct id id;
	struct str name;
};

static const struct record_field removed_fields[] = {
    RECORD_ID(struct removed_row, id, .name = "id"),
    RECORD_STR(struct removed_row, name, .name = "name"),
};
static const struct record removed_record = RECORD(struct removed_row, removed_fields);

enum ctl_exit ctl_device_remove(struct ctl *ctl)
{
	struct inventory_device device = {0};
	struct ctl_request request = {.method = "DELETE"};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code == CTL_DONE)
		code = ctl_confirm(ctl, "This removes the device \"%.*s\" with its rotation.",
				   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/devices/", device.id, "");
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	if (code != CTL_DONE)
		return code;
	return ctl_print_row(ctl, &removed_record, &(struct removed_row){device.id, device.name});
}

enum ctl_exit ctl_device_update(struct ctl *ctl)
{
	struct inventory_device found = {0};
	struct device device = {0};
	struct ctl_request request = {.method = "PATCH", .body = ctl_body_of_options(ctl, NULL)};
	enum ctl_exit code;

	if (str_equal(request.body, STR("{}")))
		return ctl_fail(CTL_USAGE, "device update needs at least one setting, such as "
					   "--brightness 40; see displayctl --help");
	code = ctl_find_listed_device(ctl, ctl->positionals[0], &found);
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, remote_has_key_only(ctl) ? "/v1/devices/" : "/web/devices/",
				found.id, "");
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, &device_record, &device);
	return code == CTL_DONE ? ctl_print_row(ctl, &device_record, &device) : code;
}
