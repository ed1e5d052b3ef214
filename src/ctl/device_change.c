#include "base/limits.h"
#include "base/utf8.h"
#include "base/zones.h"
#include "ctl/ctl.h"
#include "domain/device_reference.h"

/* What happens to devices after they were made: list, update, remove. */

struct listed_row {
	struct id id;
	struct str name;
	struct str serial;
	struct str mac;
	int64_t created_at_us;
	int64_t last_online_us;
};

static const struct record_field listed_fields[] = {
    RECORD_ID(struct listed_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct listed_row, name, .name = "name", .column = "name"),
    RECORD_STR(struct listed_row, serial, .name = "serial", .column = "serial", .nullable = true),
    RECORD_STR(struct listed_row, mac, .name = "mac", .column = "mac", .nullable = true),
    RECORD_TIMESTAMP(struct listed_row, created_at_us, .name = "createdAt", .column = "created_at"),
    RECORD_TIMESTAMP(struct listed_row, last_online_us, .name = "lastOnline",
		     .column = "last_online_at"),
};
static const struct record listed_record = RECORD(listed_fields);

enum ctl_exit ctl_device_list(struct ctl *ctl)
{
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_connect(ctl);

	if (code == CTL_DONE)
		code = ctl_find_account(ctl, ctl_value(ctl, "account"));
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_text(&parameters, ctl_value(ctl, "account"));
	code = ctl_query(ctl, STATEMENT_DEVICE_LIST_OF, &parameters, &listed_record,
			 sizeof(struct listed_row), &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_rows(ctl, &listed_record, rows.rows, sizeof(struct listed_row),
			      rows.count);
}

enum ctl_exit ctl_find_device(struct ctl *ctl, struct str name, struct device *ret_device)
{
	struct device_reference reference = device_reference_parse(name);
	enum statement statement = STATEMENT_DEVICE_BY_ID;
	struct db_parameters parameters;
	struct ctl_rows rows = {0};
	enum ctl_exit code = CTL_DONE;

	db_parameters_init(&parameters, &ctl->arena);
	if (reference.kind == DEVICE_REFERENCE_ID) {
		db_add_id(&parameters, reference.id);
	} else if (reference.kind == DEVICE_REFERENCE_SERIAL) {
		db_add_text(&parameters, reference.serial);
		statement = STATEMENT_DEVICE_BY_SERIAL;
	} else {
		db_add_bytes(&parameters, (struct str){(const char *)reference.mac, MAC_BYTES});
		statement = STATEMENT_DEVICE_BY_MAC;
	}
	if (reference.kind != DEVICE_REFERENCE_NONE)
		code = ctl_query(ctl, statement, &parameters, &device_record, sizeof(struct device),
				 &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s", STR_ARG(name));
	*ret_device = *(const struct device *)rows.rows;
	return CTL_DONE;
}

static const struct record_field removed_fields[] = {
    RECORD_ID(struct listed_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct listed_row, name, .name = "name", .column = "name"),
};
static const struct record removed_record = RECORD(removed_fields);

enum ctl_exit ctl_device_remove(struct ctl *ctl)
{
	struct db_parameters parameters;
	struct device device = {0};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_connect(ctl);

	if (code == CTL_DONE)
		code = ctl_find_device(ctl, ctl->positionals[0], &device);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl, "This removes the device \"%.*s\" with its rotation.",
				   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_id(&parameters, device.id);
	code = ctl_query(ctl, STATEMENT_DEVICE_REMOVE, &parameters, &removed_record,
			 sizeof(struct listed_row), &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s",
				STR_ARG(ctl->positionals[0]));
	return ctl_print_row(ctl, &removed_record, rows.rows);
}

/* ---- update: each adds a parameter, NULL where the option was not given ---- */

static enum ctl_exit add_number(struct ctl *ctl, struct db_parameters *parameters,
				const char *option, unsigned least, unsigned most, bool is_int4)
{
	struct str text = ctl_value(ctl, option);
	unsigned long long number;

	if (!text.data) {
		db_add_null(parameters);
		return CTL_DONE;
	}
	if (!str_to_uint64(text, most, &number) || number < least)
		return ctl_fail(CTL_USAGE, "--%s must be a number from %u to %u", option, least,
				most);
	if (is_int4)
		db_add_int4(parameters, (int32_t)number);
	else
		db_add_int2(parameters, (int16_t)number);
	return CTL_DONE;
}

static enum ctl_exit add_switch(struct ctl *ctl, struct db_parameters *parameters,
				const char *option)
{
	struct str text = ctl_value(ctl, option);

	if (!text.data)
		db_add_null(parameters);
	else if (str_equal(text, STR("on")) || str_equal(text, STR("off")))
		db_add_bool(parameters, text.length == 2);
	else
		return ctl_fail(CTL_USAGE, "--%s must be on or off", option);
	return CTL_DONE;
}

static enum ctl_exit add_clock(struct ctl *ctl, struct db_parameters *parameters,
			       const char *option)
{
	struct str text = ctl_value(ctl, option);
	int64_t minutes;

	if (!text.data)
		db_add_null(parameters);
	else if (clock_parse(text, &minutes))
		db_add_int2(parameters, (int16_t)minutes);
	else
		return ctl_fail(CTL_USAGE, "--%s must be a time of day such as 22:30", option);
	return CTL_DONE;
}

static enum ctl_exit add_text(struct ctl *ctl, struct db_parameters *parameters, const char *option)
{
	struct str text = ctl_value(ctl, option);
	const char *fault = NULL;

	if (!text.data) {
		db_add_null(parameters);
		return CTL_DONE;
	}
	if (strcmp(option, "name") == 0)
		fault = ctl_check_name(text, DEVICE_NAME_LENGTH_MAX);
	else if (!zones_find(text))
		fault = "must be the name of a time zone";
	if (fault)
		return ctl_fail(CTL_USAGE, "--%s %s", option, fault);
	db_add_text(parameters, text);
	return CTL_DONE;
}

/* In the order of the statement. */
static enum ctl_exit add_settings(struct ctl *ctl, struct db_parameters *parameters)
{
	enum ctl_exit code = add_text(ctl, parameters, "name");

	if (code == CTL_DONE)
		code = add_number(ctl, parameters, "brightness", 0, 100, false);
	if (code == CTL_DONE)
		code = add_number(ctl, parameters, "volume", 0, 100, false);
	if (code == CTL_DONE)
		code = add_switch(ctl, parameters, "auto-dim");
	if (code == CTL_DONE)
		code = add_text(ctl, parameters, "timezone");
	if (code == CTL_DONE)
		code = add_number(ctl, parameters, "schedule-interval", SCHEDULE_INTERVAL_MIN_S,
				  SCHEDULE_INTERVAL_MAX_S, true);
	if (code == CTL_DONE)
		code = add_switch(ctl, parameters, "sleep");
	if (code == CTL_DONE)
		code = add_clock(ctl, parameters, "sleep-start");
	if (code == CTL_DONE)
		code = add_clock(ctl, parameters, "sleep-end");
	return code;
}

static const struct record_field told_fields[] = {
    RECORD_INT(struct device, generation, .column = "told"),
};
static const struct record told_record = RECORD(told_fields);

/* The hint is lost where this fails; the servers' sweep finds the change later. */
static enum ctl_exit tell_and_print(struct ctl *ctl, const struct device *device)
{
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code;

	db_parameters_init(&parameters, &ctl->arena);
	db_add_id(&parameters, device->id);
	db_add_int8(&parameters, device->generation);
	code = ctl_query(ctl, STATEMENT_DEVICE_TELL, &parameters, &told_record,
			 sizeof(struct device), &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_row(ctl, &device_record, device);
}

static bool has_settings(const struct ctl *ctl)
{
	for (const struct option *one = ctl->command->line.options; one->name; one++) {
		if (options_text(&ctl->options, one->name))
			return true;
	}
	return false;
}

enum ctl_exit ctl_device_update(struct ctl *ctl)
{
	struct db_parameters parameters;
	struct device device = {0};
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!has_settings(ctl))
		return ctl_fail(CTL_USAGE, "device update needs at least one setting, such as "
					   "--brightness 40; see displayctl --help");
	code = ctl_connect(ctl);
	if (code == CTL_DONE)
		code = ctl_find_device(ctl, ctl->positionals[0], &device);
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_id(&parameters, device.id);
	db_add_id(&parameters, device.account_id);
	code = add_settings(ctl, &parameters);
	if (code == CTL_DONE)
		code = ctl_query(ctl, STATEMENT_DEVICE_UPDATE, &parameters, &device_record,
				 sizeof(struct device), &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_UNKNOWN_TIMEZONE)
		return ctl_fail(CTL_USAGE, "--timezone is not known to the database");
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s",
				STR_ARG(ctl->positionals[0]));
	return tell_and_print(ctl, rows.rows);
}
