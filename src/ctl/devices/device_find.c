#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/device_reference.h"

#include <text/utf8.h>
#include <wctype.h>

static void say_devices(const struct inventory_device *devices, unsigned count)
{
	char id[ID_TEXT_LENGTH + 1];

	for (unsigned i = 0; i < count && i < CTL_NAMED_MAX; i++) {
		id_format(devices[i].id, id);
		ctl_say("  %s  %.*s", id, STR_ARG(devices[i].account));
	}
	ctl_say_rest(count);
}

/* Fails unless exactly one device matches. Devices whose panels report this MAC address may follow
 * the matches. */
static enum ctl_exit check_is_one(struct str name, const struct ctl_rows *rows)
{
	const struct inventory_device *devices = rows->rows;
	unsigned count = 0;
	enum ctl_exit code;

	while (count < rows->count && !devices[count].is_told)
		count++;
	if (count == 1)
		return CTL_DONE;
	if (count > 1) {
		code = ctl_fail(CTL_REFUSED, "several devices are called %.*s; use an ID",
				STR_ARG(name));
		say_devices(devices, count);
		return code;
	}
	if (rows->count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s", STR_ARG(name));
	code = ctl_fail(
	    CTL_NOT_FOUND,
	    "there is no device %.*s; panels of these devices report this address:", STR_ARG(name));
	say_devices(devices, rows->count);
	return code;
}

/* ---- over --server: devices of the account ---- */

static const struct record_field fields[] = {
    RECORD_ID(struct inventory_device, id, .name = "id"),
    RECORD_STR(struct inventory_device, name, .name = "name"),
    RECORD_STR(struct inventory_device, serial, .name = "serialNumber", .nullable = true),
    RECORD_STR(struct inventory_device, mac, .name = "macAddress", .nullable = true),
    RECORD_TIMESTAMP(struct inventory_device, created_at_us, .name = "createdAt"),
    RECORD_TIMESTAMP(struct inventory_device, last_online_us, .name = "lastOnline"),
};
static const struct record own_record = RECORD(struct inventory_device, fields);
/* Fields that an API key can read. */
static const struct record keyed_record = CTL_RECORD_OF(struct inventory_device, fields, 0, 2);

static enum ctl_exit ask_own(struct ctl *ctl, struct ctl_rows *ret_rows)
{
	bool is_keyed = remote_has_key_only(ctl);
	/* Any key can read names. */
	const struct ctl_request request = {.path = is_keyed ? STR("/v1/device-names")
							     : STR("/web/devices")};
	enum ctl_exit code =
	    ctl_ask_rows(ctl, &request, is_keyed ? &keyed_record : &own_record, ret_rows);
	struct inventory_device *devices = ret_rows->rows;

	for (unsigned i = 0; code == CTL_DONE && i < ret_rows->count; i++)
		devices[i].account = ctl->remote->session.email;
	return code;
}

enum ctl_exit ctl_ask_devices(struct ctl *ctl, struct ctl_rows *ret_rows)
{
	const struct ctl_request request = {.path = STR("/web/admin/devices")};

	return ctl->remote ? ask_own(ctl, ret_rows)
			   : ctl_ask_rows(ctl, &request, &inventory_device_record, ret_rows);
}

struct str ctl_device_json(struct ctl *ctl, const struct inventory_device *device)
{
	struct buffer text = {0};
	struct str json;

	record_write_json(remote_has_key_only(ctl) ? &keyed_record : &own_record, device, &text);
	json = arena_copy(&ctl->arena, buffer_view(&text));
	buffer_finish(&text);
	return json;
}

/* Compares without regard to case, also letters other than ASCII. Requires the locale that main()
 * sets. */
static bool equal_in_any_case(struct str a, struct str b)
{
	while (a.length && b.length)
		if (towlower((wint_t)utf8_next(&a)) != towlower((wint_t)utf8_next(&b)))
			return false;
	return a.length == b.length;
}

/* Whether the text names the device. way: 0 by ID, 1 by serial number or MAC address, 2 by exact
 * name, 3 by name in any case. */
static bool means(const struct inventory_device *device, struct str text, unsigned way)
{
	char normal[MAC_TEXT_LENGTH + 1];
	uint8_t mac[MAC_BYTES];
	struct id id;

	if (way == 0)
		return id_parse(text, &id) && id_equal(device->id, id);
	if (way == 2)
		return str_equal(device->name, text);
	if (way == 3)
		return equal_in_any_case(device->name, text);
	if (device->serial.length && str_equal_ignore_case(device->serial, text))
		return true;
	if (!device->mac.length || !mac_parse(text, mac))
		return false;
	mac_format(mac, normal);
	return str_equal(device->mac, str_from(normal));
}

/* Keeps the devices that the text names in the first way that any is named. */
static void choose(struct ctl_rows *rows, struct str text)
{
	struct inventory_device *devices = rows->rows;
	unsigned found = 0;

	for (unsigned way = 0; way < 4 && found == 0; way++)
		for (unsigned i = 0; i < rows->count; i++)
			if (means(&devices[i], text, way))
				devices[found++] = devices[i];
	rows->count = found;
}

enum ctl_exit ctl_find_listed_device(struct ctl *ctl, struct str name,
				     struct inventory_device *ret_device)
{
	struct ctl_request request = {0};
	struct ctl_rows rows;
	enum ctl_exit code;
	struct id id;

	if (!utf8_is_valid(name))
		return ctl_fail(CTL_USAGE, "the device's name must be UTF-8");
	/* With only an API key, an ID is not looked up: the key may permit pushes only. */
	if (remote_has_key_only(ctl) && id_parse(name, &id)) {
		*ret_device = (struct inventory_device){.id = id, .name = name};
		return CTL_DONE;
	}
	request.path =
	    ARENA_JOIN(&ctl->arena, STR("/web/admin/devices?name="), ctl_encode(ctl, name));
	code = ctl->remote ? ask_own(ctl, &rows)
			   : ctl_ask_rows(ctl, &request, &inventory_device_record, &rows);
	if (code == CTL_DONE && ctl->remote)
		choose(&rows, name);
	if (code == CTL_DONE)
		code = check_is_one(name, &rows);
	if (code == CTL_DONE)
		*ret_device = *(const struct inventory_device *)rows.rows;
	return code;
}
