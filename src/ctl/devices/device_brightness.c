#include "ctl/ctl.h"
#include "ctl/server/client.h"

enum ctl_exit ctl_device_brightness(struct ctl *ctl)
{
	const struct ctl_member all[] = {{"devices", STR("\"all\""), true}, {0}};

	return ctl_plain_with(ctl, ctl_value(ctl, "device").data ? NULL : all);
}
