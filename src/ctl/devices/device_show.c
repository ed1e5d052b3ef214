#include "ctl/ctl.h"
#include "domain/device.h"

static const struct record_field fields[] = {
    RECORD_ROW(struct device_show_row, device, &device_full_record, .is_shown = true),
    RECORD_ROW(struct device_show_row, device_more, &device_more_record, .is_shown = true),
    RECORD_STR(struct device_show_row, account, .name = "account"),
    RECORD_INT8(struct device_show_row, entries, .name = "entries"),
};
static const struct record record = RECORD(struct device_show_row, fields);

enum ctl_exit ctl_device_show(struct ctl *ctl)
{
	struct device device = {0};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl->positionals[0], &device);

	if (code != CTL_DONE)
		return code;
	statement_device_show(ctl_new_query(ctl), &(struct device_show_parameters){device.id},
			      NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s",
				STR_ARG(ctl->positionals[0]));
	return ctl_print_row(ctl, &record, rows.rows);
}
