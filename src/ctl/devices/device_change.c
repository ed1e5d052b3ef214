#include "base/limits.h"
#include "base/require.h"
#include "base/utf8.h"
#include "ctl/ctl.h"
#include "domain/device_reference.h"

/* Commands for existing devices: list, update, remove. */

struct listed_row {
	struct id id;
	struct str name;
	struct str serial;
	struct str mac;
	struct str account; /* its e-mail address */
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
		     .column = "last_online_at", .is_past = true),
    RECORD_STR(struct listed_row, account, .name = "account", .column = "account"),
};
const struct record listed_device_record = RECORD(struct listed_row, listed_fields);

enum ctl_exit ctl_device_list(struct ctl *ctl)
{
	struct ctl_rows rows;
	struct id account_id;
	enum ctl_exit code = CTL_DONE;

	if (ctl_value(ctl, "account").data)
		code = ctl_find_account(ctl, ctl_value(ctl, "account"), &account_id);
	if (code != CTL_DONE)
		return code;
	statement_device_list_of(
	    ctl_new_query(ctl),
	    &(struct device_list_of_parameters){.account_email = ctl_value(ctl, "account")}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_rows(ctl, &listed_device_record, &rows);
}

struct named_row {
	struct id id;
	struct str email;
	bool is_told; /* only its panel says so */
};

static const struct record_field named_fields[] = {
    RECORD_ID(struct named_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct named_row, email, .name = "email", .column = "email"),
    RECORD_BOOL(struct named_row, is_told, .column = "is_told"),
};
const struct record named_device_record = RECORD(struct named_row, named_fields);

static void say_devices(const struct named_row *devices, unsigned count)
{
	char id[ID_TEXT_LENGTH + 1];

	for (unsigned i = 0; i < count; i++) {
		id_format(devices[i].id, id);
		ctl_say("  %s  %.*s", id, STR_ARG(devices[i].email));
	}
}

/* Fails unless there is one of this name. told: whose panels say that they have this address. */
static enum ctl_exit check_is_one(struct str name, const struct named_row *devices, unsigned count,
				  const struct named_row *told, unsigned told_count)
{
	enum ctl_exit code;

	if (count == 1)
		return CTL_DONE;
	if (count > 1) {
		code = ctl_fail(CTL_REFUSED, "several devices are called %.*s: give the ID of one",
				STR_ARG(name));
		say_devices(devices, count);
		return code;
	}
	if (told_count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s", STR_ARG(name));
	code = ctl_fail(CTL_NOT_FOUND,
			"there is no device %.*s; panels of these say that they have this address:",
			STR_ARG(name));
	say_devices(told, told_count);
	return code;
}

/* Fills in rows of named_device_record: devices that are registered with this serial number or MAC
 * address, and behind them those whose panels say that they have it. */
static enum ctl_exit find_by_number(struct ctl *ctl, const struct device_reference *reference,
				    struct ctl_rows *ret_rows)
{
	struct device_by_number_parameters parameters = {0};

	if (reference->kind == DEVICE_REFERENCE_SERIAL)
		parameters.serial = reference->serial;
	else if (reference->kind == DEVICE_REFERENCE_MAC)
		parameters.mac = (struct str){(const char *)reference->mac, MAC_BYTES};
	else
		return CTL_DONE;
	statement_device_by_number(ctl_new_query(ctl), &parameters, NULL);
	return ctl_query(ctl, ret_rows);
}

static unsigned count_registered(const struct ctl_rows *rows)
{
	const struct named_row *devices = rows->rows;
	unsigned count = 0;

	while (count < rows->count && !devices[count].is_told)
		count++;
	return count;
}

static enum ctl_exit find_id(struct ctl *ctl, struct str name,
			     const struct device_reference *reference, struct id *ret_id)
{
	struct ctl_rows numbered = {0}, named = {0};
	enum ctl_exit code = find_by_number(ctl, reference, &numbered);
	unsigned registered = count_registered(&numbered);
	unsigned told_count = numbered.count - registered;
	const struct named_row *devices = numbered.rows;
	const struct ctl_rows *found = registered ? &numbered : &named;

	if (code == CTL_DONE && registered == 0) {
		if (!utf8_is_valid(name))
			return ctl_fail(CTL_USAGE, "the device's name must be UTF-8");
		statement_device_by_name(ctl_new_query(ctl),
					 &(struct device_by_name_parameters){name}, NULL);
		code = ctl_query(ctl, &named);
	}
	if (code == CTL_DONE)
		code = check_is_one(name, found->rows, registered ? registered : named.count,
				    told_count ? &devices[registered] : NULL, told_count);
	if (code != CTL_DONE)
		return code;
	devices = found->rows;
	require(devices); /* check_is_one() has seen one */
	*ret_id = devices->id;
	return code;
}

enum ctl_exit ctl_find_device(struct ctl *ctl, struct str name, struct device *ret_device)
{
	struct device_reference reference = device_reference_parse(name);
	struct ctl_rows rows = {0};
	enum ctl_exit code = CTL_DONE;

	if (reference.kind != DEVICE_REFERENCE_ID)
		code = find_id(ctl, name, &reference, &reference.id);
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

static const struct record_field removed_fields[] = {
    RECORD_ID(struct listed_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct listed_row, name, .name = "name", .column = "name"),
};
const struct record removed_device_record = RECORD(struct listed_row, removed_fields);

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
