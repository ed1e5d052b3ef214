#include "domain/installation.h"
#include "ctl/ctl.h"

enum ctl_exit ctl_installation_list(struct ctl *ctl)
{
	struct device device;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl_value(ctl, "device"), &device);

	if (code != CTL_DONE)
		return code;
	statement_installation_list(ctl_new_query(ctl),
				    &(struct installation_list_parameters){.device_id = device.id},
				    NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_rows(ctl, &installation_record, &rows);
}

enum ctl_exit ctl_installation_create(struct ctl *ctl)
{
	char id[ID_TEXT_LENGTH + 1];
	struct device device;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl_value(ctl, "device"), &device);

	if (code != CTL_DONE)
		return code;
	id_format(id_new(), id);
	statement_installation_create(ctl_new_query(ctl),
				      &(struct installation_create_parameters){
					  .device_id = device.id,
					  .app = ctl_value(ctl, "app"),
					  .id = str_from(id),
				      },
				      NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_TOO_MANY_INSTALLATIONS)
		return ctl_fail(CTL_REFUSED, "the device has 100 entries already");
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s that this device can install",
				STR_ARG(ctl_value(ctl, "app")));
	return ctl_print_row(ctl, &installation_record, rows.rows);
}
