#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "device_row.h"
#include "domain/device.h"

/* Commands that change existing devices: settings; the panel's access (new key, disable, enable);
 * reboot; the move from a former address to the device's own. */

/* Finds the device of the first argument, and sets the request's path: path, the device's ID, rest.
 */
static enum ctl_exit find(struct ctl *ctl, const char *path, const char *rest,
			  struct ctl_request *request, struct inventory_device *ret_device)
{
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], ret_device);

	request->path = ctl_path(ctl, path, ret_device->id, rest);
	request->sentences[1] = ctl_no_device(ctl); /* after the caller's own message */
	return code;
}

enum ctl_exit ctl_device_update(struct ctl *ctl)
{
	const char *path = remote_has_key_only(ctl) ? "/v1/devices/" : "/web/devices/";
	struct ctl_request request = {.method = "PATCH", .body = ctl_body_of_options(ctl, NULL)};
	struct inventory_device device = {0};
	enum ctl_exit code;

	if (str_equal(request.body, STR("{}")))
		return ctl_fail(CTL_USAGE, "device update needs at least one setting, such as "
					   "--brightness 40; see displayctl --help");
	code = find(ctl, path, "", &request, &device);
	return code == CTL_DONE ? ctl_show(ctl, &request, &device_record) : code;
}

enum ctl_exit ctl_device_rekey(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST"};
	struct inventory_device device = {0};
	enum ctl_exit code = find(ctl, "/web/devices/", "/key", &request, &device);

	if (code == CTL_DONE)
		code = ctl_check_urls(ctl);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This replaces the key of the device \"%.*s\": its panel is "
				   "refused until it has the new URL.",
				   STR_ARG(device.name));
	return code == CTL_DONE ? ctl_make_device(ctl, &request) : code;
}

struct done_row {
	struct id id;
	struct str name;
	bool is_disabled;
	struct str done;
};

static const struct record_field access_fields[] = {
    RECORD_ID(struct done_row, id, .name = "id"),
    RECORD_STR(struct done_row, name, .name = "name"),
    RECORD_BOOL(struct done_row, is_disabled, .name = "isDisabled"),
};
static const struct record access_record = RECORD(struct done_row, access_fields);

static enum ctl_exit allow(struct ctl *ctl, const char *verb)
{
	struct ctl_request request = {.method = "POST"};
	struct inventory_device device = {0};
	enum ctl_exit code = find(ctl, "/web/devices/", verb, &request, &device);

	return code == CTL_DONE ? ctl_show(ctl, &request, &access_record) : code;
}

enum ctl_exit ctl_device_disable(struct ctl *ctl)
{
	return allow(ctl, "/disable");
}

enum ctl_exit ctl_device_enable(struct ctl *ctl)
{
	return allow(ctl, "/enable");
}

/* Sends the request, and prints the device with done in a member called what; what NULL: without
 * it. */
static enum ctl_exit order(struct ctl *ctl, const struct ctl_request *request,
			   const struct inventory_device *device, const char *what, struct str done)
{
	const struct record_field fields[] = {access_fields[0], access_fields[1],
					      RECORD_STR(struct done_row, done, .name = what)};
	const struct record record = CTL_RECORD_OF(struct done_row, fields, 0, what ? 3 : 2);
	const struct done_row row = {.id = device->id, .name = device->name, .done = done};
	enum ctl_exit code = ctl_ask_row(ctl, request, NULL, NULL);

	return code == CTL_DONE ? ctl_print_row(ctl, &record, &row) : code;
}

enum ctl_exit ctl_device_remove(struct ctl *ctl)
{
	struct ctl_request request = {.method = "DELETE"};
	struct inventory_device device = {0};
	enum ctl_exit code = find(ctl, "/web/devices/", "", &request, &device);

	if (code == CTL_DONE)
		code = ctl_confirm(ctl, "This removes the device \"%.*s\" with its rotation.",
				   STR_ARG(device.name));
	return code == CTL_DONE ? order(ctl, &request, &device, NULL, STR("")) : code;
}

enum ctl_exit ctl_device_reboot(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST"};
	struct inventory_device device = {0};
	enum ctl_exit code = find(ctl, "/v1/devices/", "/reboot", &request, &device);

	return code == CTL_DONE ? order(ctl, &request, &device, "reboot", STR("ordered")) : code;
}

enum ctl_exit ctl_device_move(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST"};
	struct inventory_device device = {0};
	enum ctl_exit code = find(ctl, "/v1/devices/", "/move-address", &request, &device);

	return code == CTL_DONE ? order(ctl, &request, &device, "move", STR("ordered")) : code;
}

enum ctl_exit ctl_device_unalias(struct ctl *ctl)
{
	struct ctl_request request = {.method = "DELETE"};
	struct inventory_device device = {0};
	enum ctl_exit code = find(ctl, "/v1/devices/", "/alias", &request, &device);

	if (code == CTL_DONE)
		code =
		    ctl_confirm(ctl,
				"This ends the former address of the device \"%.*s\": a panel that "
				"still uses it is refused.",
				STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	request.sentences[0] =
	    (struct ctl_sentence){404, "the device has no former address",
				  ARENA_JOIN(&ctl->arena, STR("the device "), device.name,
					     STR(" has no former address"))};
	return order(ctl, &request, &device, "alias", STR("ended"));
}
