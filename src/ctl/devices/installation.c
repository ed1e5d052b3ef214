#include "domain/installation.h"
#include "base/limits.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "installation_settings.h"

/* installation create */

enum ctl_exit ctl_installation_create(struct ctl *ctl)
{
	struct str app = ctl_lower(ctl, ctl_value(ctl, "app")), settings = {0};
	struct str missing = ARENA_JOIN(&ctl->arena, STR("there is no app "), ctl_value(ctl, "app"),
					STR(" that this device can install"));
	struct ctl_request request = {
	    .method = "POST",
	    .sentences = {{404, "there is no such app", missing},
			  {409, "the device has ", STR("the device has 100 entries already")}}};
	struct installation installation = {0};
	struct inventory_device device;
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl_value(ctl, "device"), &device);

	_Static_assert(LIMIT_DEVICE_INSTALLATIONS == 100, "the sentence has the limit");
	if (code == CTL_DONE && installation_settings_are_given(ctl, 0))
		code = installation_settings_read(ctl, 0, app, device.account, missing, &settings);
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/v1/devices/", device.id, "/installations");
	request.body = ctl_body(ctl, (const struct ctl_member[]){
					 {"app", app, false}, {"settings", settings, true}, {0}});
	code = ctl_ask_row(ctl, &request, &installation_record, &installation);
	return code == CTL_DONE ? ctl_print_row(ctl, &installation_record, &installation) : code;
}
