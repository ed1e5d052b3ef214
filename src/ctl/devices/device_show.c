#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/device.h"
#include "installation_row.h"

/* displayctl device list, device show */

enum ctl_exit ctl_device_list(struct ctl *ctl)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	/* An API key reads other fields of devices than a session. */
	if (remote_has_key_only(ctl))
		return ctl_list(ctl, &(struct ctl_request){.path = STR("/v1/devices")},
				&device_shown_record);
	code = ctl_ask_devices(ctl, &rows);
	return code == CTL_DONE ? ctl_print_rows(ctl, &ctl_listed_device_record, &rows) : code;
}

struct shown_device {
	struct device device;
	struct device_more more;
	struct str account;
	int64_t entries;
};

static const struct record_field fields[] = {
    RECORD_ROW(struct shown_device, device, &device_full_record, .is_shown = true),
    RECORD_ROW(struct shown_device, more, &device_more_record, .is_shown = true),
    RECORD_STR(struct shown_device, account, .name = "account"),
    RECORD_INT8(struct shown_device, entries, .name = "entries"),
};
static const struct record shown_record = RECORD(struct shown_device, fields);
static const struct record own_record = CTL_RECORD_OF(struct shown_device, fields, 0, 2);

enum ctl_exit ctl_device_show(struct ctl *ctl)
{
	struct inventory_device found = {0};
	struct ctl_request request = {.subject = ctl->positionals[0]};
	struct shown_device shown = {0};
	struct ctl_rows rows = {0};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &found);

	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/v1/devices/", found.id, "");
	if (remote_has_key_only(ctl))
		return ctl_show(ctl, &request, &device_shown_record);
	request.path = ctl_path(ctl, "/web/devices/", found.id, "");
	code = ctl_ask_row(ctl, &request, &own_record, &shown);
	if (code != CTL_DONE)
		return code;
	if (ctl->remote)
		code = ctl_ask_rotation(ctl, found.id, ctl->positionals[0], &rows);
	shown.account = found.account;
	shown.entries = ctl->remote ? (int64_t)rows.count : found.entries;
	if (code != CTL_DONE)
		return code;
	return ctl_print_row(ctl, &shown_record, &shown);
}
