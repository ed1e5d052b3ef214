#include "domain/installation.h"
#include "ctl/ctl.h"

enum ctl_exit ctl_installation_list(struct ctl *ctl)
{
	struct db_parameters parameters;
	struct device device;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_connect(ctl);

	if (code == CTL_DONE)
		code = ctl_find_device(ctl, ctl_value(ctl, "device"), &device);
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_id(&parameters, device.id);
	code = ctl_query(ctl, STATEMENT_INSTALLATION_LIST, &parameters, &installation_record,
			 sizeof(struct installation), &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_rows(ctl, &installation_record, rows.rows, sizeof(struct installation),
			      rows.count);
}

enum ctl_exit ctl_installation_create(struct ctl *ctl)
{
	char id[ID_TEXT_LENGTH + 1];
	struct db_parameters parameters;
	struct device device;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_connect(ctl);

	if (code == CTL_DONE)
		code = ctl_find_device(ctl, ctl_value(ctl, "device"), &device);
	if (code != CTL_DONE)
		return code;
	id_format(id_new(), id);
	db_parameters_init(&parameters, &ctl->arena);
	db_add_id(&parameters, device.id);
	db_add_text(&parameters, ctl_value(ctl, "app"));
	db_add_text(&parameters, str_from(id));
	code = ctl_query(ctl, STATEMENT_INSTALLATION_CREATE, &parameters, &installation_record,
			 sizeof(struct installation), &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_TOO_MANY_ENTRIES)
		return ctl_fail(CTL_REFUSED, "the device has 100 entries already");
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s that this device can install",
				STR_ARG(ctl_value(ctl, "app")));
	return ctl_print_row(ctl, &installation_record, rows.rows);
}
