#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "device_row.h"

enum ctl_exit ctl_device_rekey(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST", .subject = ctl->positionals[0]};
	struct inventory_device device = {0};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code == CTL_DONE)
		code = ctl_check_urls(ctl);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This replaces the key of the device \"%.*s\": its panel is "
				   "refused until it has the new URL.",
				   STR_ARG(device.name));
	request.path = ctl_path(ctl, "/web/devices/", device.id, "/key");
	return code == CTL_DONE ? ctl_make_device(ctl, &request) : code;
}
