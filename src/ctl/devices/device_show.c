#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/device.h"
#include "installation_row.h"

/* device list, device show */

static const struct record_field listed_fields[] = {
    RECORD_ID(struct inventory_device, id, .name = "id"),
    RECORD_STR(struct inventory_device, name, .name = "name"),
    RECORD_STR(struct inventory_device, serial, .name = "serialNumber", .nullable = true),
    RECORD_STR(struct inventory_device, mac, .name = "macAddress", .nullable = true),
    RECORD_TIMESTAMP(struct inventory_device, created_at_us, .name = "createdAt"),
    RECORD_TIMESTAMP(struct inventory_device, last_online_us, .name = "lastOnline"),
    RECORD_STR(struct inventory_device, account, .name = "account"),
};
static const struct record listed_record = RECORD(struct inventory_device, listed_fields);

/* An API key has its own view of a device, in lists, too. */
static enum ctl_exit list_keyed(struct ctl *ctl)
{
	struct ctl_rows rows;
	enum ctl_exit code = ctl_ask_rows(ctl, &(struct ctl_request){.path = STR("/v1/devices")},
					  &device_shown_record, &rows);

	return code == CTL_DONE ? ctl_print_rows(ctl, &device_shown_record, &rows) : code;
}

enum ctl_exit ctl_device_list(struct ctl *ctl)
{
	struct ctl_request request = {.path = STR("/web/admin/devices"),
				      .account = ctl_value(ctl, "account")};
	struct ctl_rows rows;
	enum ctl_exit code;

	if (remote_has_key_only(ctl))
		return list_keyed(ctl);
	if (remote_is_of_another(ctl))
		code = ctl_ask_rows_of_another(ctl, "/web/admin/devices", &inventory_device_record,
					       offsetof(struct inventory_device, account), &rows);
	else
		code = ctl->remote ? ctl_list_own_devices(ctl, &rows)
				   : ctl_ask_rows(ctl, &request, &inventory_device_record, &rows);
	return code == CTL_DONE ? ctl_print_rows(ctl, &listed_record, &rows) : code;
}

struct shown_device {
	struct device device;
	struct device_more more;
	struct str account;
	int64_t entries;
};

static const struct record_field own_fields[] = {
    RECORD_ROW(struct shown_device, device, &device_full_record, .is_shown = true),
    RECORD_ROW(struct shown_device, more, &device_more_record, .is_shown = true),
};
static const struct record own_record = RECORD(struct shown_device, own_fields);

static const struct record_field shown_fields[] = {
    RECORD_ROW(struct shown_device, device, &device_full_record, .is_shown = true),
    RECORD_ROW(struct shown_device, more, &device_more_record, .is_shown = true),
    RECORD_STR(struct shown_device, account, .name = "account"),
    RECORD_INT8(struct shown_device, entries, .name = "entries"),
};
static const struct record shown_record = RECORD(struct shown_device, shown_fields);

static enum ctl_exit show_keyed(struct ctl *ctl, struct id id)
{
	const struct ctl_request request = {.path = ctl_path(ctl, "/v1/devices/", id, ""),
					    .sentences = {ctl_no_device(ctl)}};
	struct device device = {0};
	enum ctl_exit code = ctl_ask_row(ctl, &request, &device_shown_record, &device);

	return code == CTL_DONE ? ctl_print_row(ctl, &device_shown_record, &device) : code;
}

enum ctl_exit ctl_device_show(struct ctl *ctl)
{
	struct inventory_device found = {0};
	struct ctl_request request = {0};
	struct shown_device shown = {0};
	struct ctl_rows rows = {0};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &found);

	if (code != CTL_DONE)
		return code;
	if (remote_has_key_only(ctl))
		return show_keyed(ctl, found.id);
	request.path = ctl_path(ctl, "/web/devices/", found.id, "");
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, &own_record, &shown);
	if (code != CTL_DONE)
		return code;
	if (ctl->remote)
		code = ctl_ask_rotation(ctl, found.id, &rows);
	shown.account = found.account;
	shown.entries = ctl->remote ? (int64_t)rows.count : found.entries;
	if (code != CTL_DONE)
		return code;
	return ctl_print_row(ctl, &shown_record, &shown);
}
