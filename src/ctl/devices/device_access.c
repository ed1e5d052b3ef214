#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "device_row.h"

/* Commands for panel access: a new key, none, or the old one again; and a new start. */

struct access_row {
	struct id id;
	struct str name;
	bool is_disabled;
};

static const struct record_field fields[] = {
    RECORD_ID(struct access_row, id, .name = "id"),
    RECORD_STR(struct access_row, name, .name = "name"),
    RECORD_BOOL(struct access_row, is_disabled, .name = "isDisabled"),
};
static const struct record access_record = RECORD(struct access_row, fields);

enum ctl_exit ctl_device_rekey(struct ctl *ctl)
{
	struct inventory_device device = {0};
	struct ctl_request request = {.method = "POST"};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code == CTL_DONE)
		code = ctl_check_urls(ctl);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This ends the key of the device \"%.*s\": its panel is refused "
				   "until it has the new URL.",
				   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/devices/", device.id, "/key");
	request.sentences[0] = ctl_no_device(ctl);
	return ctl_make_device(ctl, &request);
}

static enum ctl_exit allow(struct ctl *ctl, const char *verb)
{
	struct inventory_device device = {0};
	struct access_row row = {0};
	struct ctl_request request = {.method = "POST"};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/devices/", device.id, verb);
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, &access_record, &row);
	return code == CTL_DONE ? ctl_print_row(ctl, &access_record, &row) : code;
}

enum ctl_exit ctl_device_disable(struct ctl *ctl)
{
	return allow(ctl, "/disable");
}

enum ctl_exit ctl_device_enable(struct ctl *ctl)
{
	return allow(ctl, "/enable");
}

struct reboot_row {
	struct id id;
	struct str name;
	struct str reboot;
};

static const struct record_field reboot_fields[] = {
    RECORD_ID(struct reboot_row, id, .name = "id"),
    RECORD_STR(struct reboot_row, name, .name = "name"),
    RECORD_STR(struct reboot_row, reboot, .name = "reboot"),
};
static const struct record reboot_record = RECORD(struct reboot_row, reboot_fields);

enum ctl_exit ctl_device_reboot(struct ctl *ctl)
{
	struct inventory_device device = {0};
	struct ctl_request request = {.method = "POST"};
	struct reboot_row row;
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/v1/devices/", device.id, "/reboot");
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	row = (struct reboot_row){device.id, device.name, STR("ordered")};
	return code == CTL_DONE ? ctl_print_row(ctl, &reboot_record, &row) : code;
}
