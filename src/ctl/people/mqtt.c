#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/shell/input.h"

enum ctl_exit ctl_mqtt_update(struct ctl *ctl)
{
	const char *file = options_text(&ctl->options, "password-file");
	struct str password = {0};
	enum ctl_exit code = file ? ctl_read_line(ctl, file, &password) : CTL_DONE;

	if (code != CTL_DONE)
		return code;
	return ctl_plain_with(ctl, (const struct ctl_member[]){{"password", password, false}, {0}});
}
