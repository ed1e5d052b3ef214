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
	request->subject = ctl->positionals[0];
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

/* A request whose answer is empty. */
struct order {
	const char *method, *path, *rest;
	const char *question; /* before and after the device's name; NULL: does not ask */
	const char *effect;
	const char *what, *done; /* member to print with its value; NULL: none */
};

/* Sends the order for the device of the first argument, and prints the device. */
static enum ctl_exit order(struct ctl *ctl, const struct order *order)
{
	const struct record_field fields[] = {
	    access_fields[0], access_fields[1],
	    RECORD_STR(struct done_row, done, .name = order->what)};
	const struct record record = RECORD(struct done_row, fields);
	struct ctl_request request = {.method = order->method,
				      .sentences = {{404, PROBLEM_FORMER_ADDRESS_NOT_FOUND,
						     STR("the device % has no former address")}}};
	struct inventory_device device = {0};
	enum ctl_exit code = find(ctl, order->path, order->rest, &request, &device);
	const struct done_row row = {device.id, device.name, .done = str_from(order->done)};

	request.subject = device.name;
	if (code == CTL_DONE && order->question)
		code = ctl_confirm(ctl, "%s \"%.*s\"%s", order->question, STR_ARG(device.name),
				   order->effect);
	if (code == CTL_DONE)
		code = ctl_ask_row(ctl, &request, NULL, NULL);
	return code == CTL_DONE ? ctl_print_row(ctl, &record, &row) : code;
}

enum ctl_exit ctl_device_remove(struct ctl *ctl)
{
	return order(ctl, &(struct order){"DELETE", "/web/devices/", "", "This removes the device",
					  " with its rotation.", NULL, NULL});
}

enum ctl_exit ctl_device_reboot(struct ctl *ctl)
{
	return order(ctl, &(struct order){"POST", "/v1/devices/", "/reboot", NULL, NULL, "reboot",
					  "ordered"});
}

enum ctl_exit ctl_device_move(struct ctl *ctl)
{
	return order(ctl, &(struct order){"POST", "/v1/devices/", "/move-address", NULL, NULL,
					  "move", "ordered"});
}

enum ctl_exit ctl_device_unalias(struct ctl *ctl)
{
	return order(ctl,
		     &(struct order){"DELETE", "/v1/devices/", "/alias",
				     "This ends the former address of the device",
				     ": a panel that still uses it is refused.", "alias", "ended"});
}
