#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "domain/device_reference.h"

/* Commands that change existing devices: update, remove. */

enum ctl_exit ctl_find_device(struct ctl *ctl, struct str name, struct device *ret_device)
{
	struct device_reference reference = device_reference_parse(name);
	struct inventory_device found = {0};
	struct ctl_rows rows = {0};
	enum ctl_exit code = CTL_DONE;

	if (reference.kind != DEVICE_REFERENCE_ID) {
		code = ctl_find_listed_device(ctl, name, &found);
		reference.id = found.id;
	}
	if (code != CTL_DONE)
		return code;
	statement_device_by_id(ctl_new_query(ctl), &(struct device_by_id_parameters){reference.id},
			       NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s", STR_ARG(name));
	*ret_device = *(const struct device *)rows.rows;
	return CTL_DONE;
}

struct removed_row {
	struct id id;
	struct str name;
};

static const struct record_field removed_fields[] = {
    RECORD_ID(struct removed_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct removed_row, name, .name = "name", .column = "name"),
};
const struct record removed_device_record = RECORD(struct removed_row, removed_fields);

enum ctl_exit ctl_device_remove(struct ctl *ctl)
{
	struct device device = {0};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl->positionals[0], &device);

	if (code == CTL_DONE)
		code = ctl_confirm(ctl, "This removes the device \"%.*s\" with its rotation.",
				   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	statement_device_remove(ctl_new_query(ctl),
				&(struct device_remove_parameters){.id = device.id}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s",
				STR_ARG(ctl->positionals[0]));
	return ctl_print_row(ctl, &removed_device_record, rows.rows);
}

/* ---- update: an option for each field that a body of the API may have ---- */

enum { OPTION_NAME_BYTES = 64 };

/* "scheduleInterval" is --schedule-interval; "sleepEnabled", a switch, is --sleep. */
static void option_of(const struct record_field *field, char ret_name[static OPTION_NAME_BYTES])
{
	size_t length = strlen(field->body);
	char *end = ret_name;

	if (length > strlen("Enabled") &&
	    strcmp(field->body + length - strlen("Enabled"), "Enabled") == 0)
		length -= strlen("Enabled");
	require(2 * length < OPTION_NAME_BYTES);
	for (size_t i = 0; i < length; i++) {
		char c = field->body[i];

		if (c >= 'A' && c <= 'Z') {
			*end++ = '-';
			c = (char)(c - 'A' + 'a');
		}
		*end++ = c;
	}
	*end = '\0';
}

/* The table of options has checked the text. */
static void read_setting(const struct record_field *field, struct str text, void *member)
{
	if (field->kind == RECORD_KIND_BOOL)
		*(bool *)member = str_equal(text, STR("on"));
	else if (field->kind == RECORD_KIND_CLOCK)
		require(clock_parse(text, member));
	else if (field->kind == RECORD_KIND_STR)
		*(struct str *)member = text;
	else
		*(int64_t *)member = strtoll(text.data, NULL, 10);
}

/* The result: bit i says that field i was given. */
static uint64_t read_settings(const struct ctl *ctl, struct device *ret_change)
{
	uint64_t present = 0;

	for (unsigned i = 0; i < device_record.field_count; i++) {
		const struct record_field *field = &device_record.fields[i];
		char option[OPTION_NAME_BYTES];
		struct str text;

		if (!field->body || field->is_private)
			continue;
		option_of(field, option);
		text = ctl_value(ctl, option);
		if (!text.data)
			continue;
		read_setting(field, text, (char *)ret_change + field->offset);
		present |= 1ull << i;
	}
	return present;
}

/* The hint is lost if this fails; the servers' sweep finds the change later. */
static enum ctl_exit tell_and_print(struct ctl *ctl, const struct device *device)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_device_tell(ctl_new_query(ctl),
			      &(struct device_tell_parameters){
				  .id = device->id,
				  .generation = device->generation,
			      },
			      NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_row(ctl, &device_record, device);
}

enum ctl_exit ctl_device_update(struct ctl *ctl)
{
	struct device device = {0}, change = {0};
	struct ctl_rows rows;
	enum ctl_exit code;
	uint64_t present = read_settings(ctl, &change);

	if (present == 0)
		return ctl_fail(CTL_USAGE, "device update needs at least one setting, such as "
					   "--brightness 40; see displayctl --help");
	code = ctl_find_device(ctl, ctl->positionals[0], &device);
	if (code != CTL_DONE)
		return code;
	statement_device_update(ctl_new_query(ctl),
				&(struct device_update_parameters){
				    .id = device.id,
				    .account_id = device.account_id,
				    .change = &change,
				    .change_present = present,
				},
				NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_UNKNOWN_TIMEZONE)
		return ctl_fail(CTL_USAGE, "--timezone is not known to the database");
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s",
				STR_ARG(ctl->positionals[0]));
	return tell_and_print(ctl, rows.rows);
}
