#include "domain/device.h"
#include "ctl/ctl.h"
#include "domain/device_link.h"
#include "domain/device_reference.h"
#include "domain/key.h"
#include "main/listen_socket.h"
#include "main/state_dir.h"

struct device_row {
	struct id id;
	struct str name;
	struct str serial;
	struct str mac;
	struct str key;
	struct str poll_url;
	struct str websocket_url;
	int64_t created_at_us;
};

static const struct record_field fields[] = {
    RECORD_ID(struct device_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct device_row, name, .name = "name", .column = "name"),
    RECORD_STR(struct device_row, serial, .name = "serial", .column = "serial", .nullable = true),
    RECORD_STR(struct device_row, mac, .name = "mac", .column = "mac", .nullable = true),
    RECORD_STR(struct device_row, key, .name = "key"),
    RECORD_STR(struct device_row, poll_url, .name = "pollUrl"),
    RECORD_STR(struct device_row, websocket_url, .name = "websocketUrl"),
    RECORD_TIMESTAMP(struct device_row, created_at_us, .name = "createdAt", .column = "created_at"),
};
const struct record device_row_record = RECORD(struct device_row, fields);

/* What was asked for. */
struct wish {
	struct id id;
	struct str account;
	struct str name;
	struct str serial; /* data is NULL where there is none */
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

struct str ctl_public_url(struct ctl *ctl)
{
	char *said, made[256];
	struct str url;

	if (ctl->config.public_url)
		return str_from(ctl->config.public_url);
	said = state_dir_read_public_url(ctl->config.state_dir);
	if (said) {
		url = arena_copy(&ctl->arena, str_from(said));
		free(said);
		return url;
	}
	for (unsigned i = 0; i < ctl->config.listen_count; i++) {
		const struct listen_address *address = &ctl->config.listen[i];

		if (address->role == HTTP_ROLE_PUBLIC &&
		    listen_address_url(address, made, sizeof(made)))
			return arena_copy(&ctl->arena, str_from(made));
	}
	return STR("http://localhost");
}

static enum ctl_exit make_urls(struct ctl *ctl, const struct wish *wish, struct device_row *row)
{
	struct str base = ctl_public_url(ctl);
	struct device_link link =
	    device_link_make(&ctl->arena, base, wish->id, str_from(wish->key));

	row->key = str_from(wish->key);
	row->poll_url = link.polling_url;
	row->websocket_url = link.websocket_url;
	if (link.excess)
		return ctl_fail(CTL_REFUSED,
				"the device's URL would have %zu characters, and panels take %d at "
				"most: use a --public-url of %zu or less",
				row->poll_url.length, DEVICE_URL_LENGTH_MAX,
				base.length - link.excess);
	return CTL_DONE;
}

enum ctl_exit ctl_device_create(struct ctl *ctl)
{
	uint8_t hash[KEY_HASH_BYTES];
	struct device_row urls = {0};
	struct device_row *row;
	struct ctl_rows rows;
	struct wish wish = read_wish(ctl);
	enum ctl_exit code = make_urls(ctl, &wish, &urls);

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
	row = rows.rows;
	row->key = urls.key;
	row->poll_url = urls.poll_url;
	row->websocket_url = urls.websocket_url;
	return ctl_print_row(ctl, &device_row_record, row);
}
