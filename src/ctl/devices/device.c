#include "ctl/ctl.h"
#include "device_row.h"

static enum ctl_exit check_options(const struct ctl *ctl)
{
	static const char *const singles[] = {"name", "serial", "mac"};

	for (unsigned i = 0; i < array_length(singles); i++) {
		if (ctl_value(ctl, "from").data && ctl_value(ctl, singles[i]).data)
			return ctl_fail(CTL_USAGE, "--%s and --from exclude each other",
					singles[i]);
	}
	if (ctl_value(ctl, "from").data)
		return CTL_DONE;
	if (!ctl->remote && !ctl_value(ctl, "account").data)
		return ctl_fail(CTL_USAGE, "device create needs --account EMAIL");
	if (!ctl_value(ctl, "name").data)
		return ctl_fail(CTL_USAGE, "device create needs --name NAME, or --from FILE");
	return CTL_DONE;
}

static struct ctl_sentence taken(struct ctl *ctl, const char *begins, const char *what,
				 struct str value)
{
	return (struct ctl_sentence){409, begins,
				     ARENA_JOIN(&ctl->arena, STR("there is a device with "),
						str_from(what), value, STR(" already"))};
}

enum ctl_exit ctl_device_create(struct ctl *ctl)
{
	struct str path = ctl_value(ctl, "from"), serial = ctl_value(ctl, "serial");
	struct ctl_request request = {
	    .method = "POST", .path = STR("/web/devices"), .account = ctl_value(ctl, "account")};
	enum ctl_exit code = check_options(ctl);

	if (code != CTL_DONE)
		return code;
	if (path.data && ctl->remote)
		return ctl_fail(CTL_REFUSED, "--from works only on the server's machine");
	if (path.data)
		return ctl_device_create_from(ctl, path);
	code = ctl_check_urls(ctl);
	if (code != CTL_DONE)
		return code;
	request.body = ctl_body_of_options(
	    ctl, (const struct ctl_member[]){{"timezone", STR("UTC"), false}, {0}});
	request.sentences[0] = taken(ctl, "another device of the account has this serial number",
				     "the serial number ", serial);
	request.sentences[1] = taken(ctl, "another device of the account has this MAC address",
				     "this MAC address", STR(""));
	return ctl_make_device(ctl, &request);
}
