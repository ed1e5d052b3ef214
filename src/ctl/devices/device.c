#include "ctl/ctl.h"
#include "device_row.h"
#include "domain/device_reference.h"

/* Device to create. */
struct wish {
	struct id id;
	struct str account;
	struct str name;
	struct str serial; /* data is NULL if there is none */
	bool has_mac;
	uint8_t mac[MAC_BYTES];
	char key[LINK_KEY_LENGTH + 1];
};

static struct wish read_wish(struct ctl *ctl)
{
	struct wish wish = {.id = id_new(),
			    .account = ctl_value(ctl, "account"),
			    .name = ctl_value(ctl, "name"),
			    .serial = ctl_value(ctl, "serial")};

	wish.has_mac = mac_parse(ctl_value(ctl, "mac"), wish.mac);
	link_key_new(wish.key);
	return wish;
}

static enum ctl_exit check_options(const struct ctl *ctl)
{
	static const char *const singles[] = {"name", "serial", "mac"};

	for (unsigned i = 0; i < array_length(singles); i++) {
		if (ctl_value(ctl, "from").data && ctl_value(ctl, singles[i]).data)
			return ctl_fail(CTL_USAGE, "--%s and --from exclude each other",
					singles[i]);
	}
	if (ctl_value(ctl, "from").data)
		return CTL_DONE;
	if (!ctl_value(ctl, "account").data)
		return ctl_fail(CTL_USAGE, "device create needs --account EMAIL");
	if (!ctl_value(ctl, "name").data)
		return ctl_fail(CTL_USAGE, "device create needs --name NAME, or --from FILE");
	return CTL_DONE;
}

enum ctl_exit ctl_device_create(struct ctl *ctl)
{
	uint8_t hash[KEY_HASH_BYTES];
	struct device_row urls = {0};
	struct ctl_rows rows;
	struct wish wish = read_wish(ctl);
	struct str path = ctl_value(ctl, "from");
	enum ctl_exit code = check_options(ctl);

	if (code != CTL_DONE)
		return code;
	if (path.data)
		return ctl_device_create_from(ctl, path);
	code = ctl_make_urls(ctl, wish.id, str_from(wish.key), &urls);
	if (code != CTL_DONE)
		return code;
	key_hash(str_from(wish.key), hash);
	statement_device_create(
	    ctl_new_query(ctl),
	    &(struct device_create_parameters){
		.id = wish.id,
		.account_email = wish.account,
		.name = wish.name,
		.serial = wish.serial,
		.mac = {wish.has_mac ? (const char *)wish.mac : NULL, MAC_BYTES},
		.link_key_hash = {(const char *)hash, KEY_HASH_BYTES},
	    },
	    NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_SERIAL_TAKEN)
		return ctl_fail(CTL_REFUSED,
				"there is a device with the serial number %.*s already",
				STR_ARG(wish.serial));
	if (rows.refusal == REFUSAL_MAC_TAKEN)
		return ctl_fail(CTL_REFUSED, "there is a device with this MAC address already");
	if (rows.count == 0)
		return ctl_fail_account(wish.account);
	return ctl_print_device(ctl, rows.rows, &urls);
}
