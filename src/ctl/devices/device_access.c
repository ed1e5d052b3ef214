#include "ctl/ctl.h"
#include "device_row.h"

/* Commands for panel access: a new key, none, or the old one again. */

struct access_row {
	struct id id;
	struct str name;
	bool is_disabled;
};

static const struct record_field fields[] = {
    RECORD_ID(struct access_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct access_row, name, .name = "name", .column = "name"),
    RECORD_BOOL(struct access_row, is_disabled, .name = "isDisabled", .column = "is_disabled"),
};
const struct record device_access_record = RECORD(struct access_row, fields);

static enum ctl_exit fail_gone(struct ctl *ctl)
{
	return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s", STR_ARG(ctl->positionals[0]));
}

enum ctl_exit ctl_device_rekey(struct ctl *ctl)
{
	char key[LINK_KEY_LENGTH + 1];
	uint8_t hash[KEY_HASH_BYTES];
	struct device device = {0};
	struct device_row urls = {0};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl->positionals[0], &device);

	link_key_new(key);
	key_hash(str_from(key), hash);
	if (code == CTL_DONE)
		code = ctl_make_urls(ctl, device.id, str_from(key), &urls);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This ends the key of the device \"%.*s\": its panel is refused "
				   "until it has the new URL.",
				   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	statement_device_rekey(ctl_new_query(ctl),
			       &(struct device_rekey_parameters){
				   .id = device.id,
				   .link_key_hash = {(const char *)hash, KEY_HASH_BYTES},
			       },
			       NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	return rows.count ? ctl_print_device(ctl, rows.rows, &urls) : fail_gone(ctl);
}

static enum ctl_exit allow(struct ctl *ctl, bool is_disabled)
{
	struct device device = {0};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_find_device(ctl, ctl->positionals[0], &device);

	if (code != CTL_DONE)
		return code;
	statement_device_allow(
	    ctl_new_query(ctl),
	    &(struct device_allow_parameters){.id = device.id, .is_disabled = is_disabled}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	return rows.count ? ctl_print_row(ctl, &device_access_record, rows.rows) : fail_gone(ctl);
}

enum ctl_exit ctl_device_disable(struct ctl *ctl)
{
	return allow(ctl, true);
}

enum ctl_exit ctl_device_enable(struct ctl *ctl)
{
	return allow(ctl, false);
}
