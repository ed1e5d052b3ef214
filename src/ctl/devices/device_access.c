#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "device_row.h"

/* Commands for panel access: a new key, none, or the old one again; a new start, and the way from a
 * former address to the device's own. */

struct access_row {
	struct id id;
	struct str name;
	bool is_disabled;
};

static const struct record_field fields[] = {
    RECORD_ID(struct access_row, id, .name = "id"),
    RECORD_STR(struct access_row, name, .name = "name"),
    RECORD_BOOL(struct access_row, is_disabled, .name = "isDisabled"),
};
static const struct record access_record = RECORD(struct access_row, fields);

enum ctl_exit ctl_device_rekey(struct ctl *ctl)
{
	struct inventory_device device = {0};
	struct ctl_request request = {.method = "POST"};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code == CTL_DONE)
		code = ctl_check_urls(ctl);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This replaces the key of the device \"%.*s\": its panel is "
				   "refused until it has the new URL.",
				   STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/devices/", device.id, "/key");
	request.sentences[0] = ctl_no_device(ctl);
	return ctl_make_device(ctl, &request);
}

static enum ctl_exit allow(struct ctl *ctl, const char *verb)
{
	struct inventory_device device = {0};
	struct access_row row = {0};
	struct ctl_request request = {.method = "POST"};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/devices/", device.id, verb);
	request.sentences[0] = ctl_no_device(ctl);
	code = ctl_ask_row(ctl, &request, &access_record, &row);
	return code == CTL_DONE ? ctl_print_row(ctl, &access_record, &row) : code;
}

enum ctl_exit ctl_device_disable(struct ctl *ctl)
{
	return allow(ctl, "/disable");
}

enum ctl_exit ctl_device_enable(struct ctl *ctl)
{
	return allow(ctl, "/enable");
}

struct order_row {
	struct id id;
	struct str name;
	struct str done;
};

#define ORDER_FIELDS(of)                                                                           \
	RECORD_ID(struct order_row, id, .name = "id"),                                             \
	    RECORD_STR(struct order_row, name, .name = "name"),                                    \
	    RECORD_STR(struct order_row, done, .name = (of))
static const struct record_field reboot_fields[] = {ORDER_FIELDS("reboot")};
static const struct record_field move_fields[] = {ORDER_FIELDS("move")};
static const struct record_field alias_fields[] = {ORDER_FIELDS("alias")};
static const struct record reboot_record = RECORD(struct order_row, reboot_fields);
static const struct record move_record = RECORD(struct order_row, move_fields);
static const struct record alias_record = RECORD(struct order_row, alias_fields);

static enum ctl_exit order(struct ctl *ctl, const struct inventory_device *device,
			   struct ctl_request request, const char *call,
			   const struct record *record, struct str done)
{
	struct order_row row = {device->id, device->name, done};
	enum ctl_exit code;

	request.path = ctl_path(ctl, "/v1/devices/", device->id, call);
	request.sentences[1] = ctl_no_device(ctl); /* behind what the call alone answers */
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	return code == CTL_DONE ? ctl_print_row(ctl, record, &row) : code;
}

enum ctl_exit ctl_device_reboot(struct ctl *ctl)
{
	struct inventory_device device = {0};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code != CTL_DONE)
		return code;
	return order(ctl, &device, (struct ctl_request){.method = "POST"}, "/reboot",
		     &reboot_record, STR("ordered"));
}

enum ctl_exit ctl_device_move(struct ctl *ctl)
{
	struct inventory_device device = {0};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code != CTL_DONE)
		return code;
	return order(ctl, &device, (struct ctl_request){.method = "POST"}, "/move-address",
		     &move_record, STR("ordered"));
}

enum ctl_exit ctl_device_unalias(struct ctl *ctl)
{
	struct inventory_device device = {0};
	enum ctl_exit code = ctl_find_listed_device(ctl, ctl->positionals[0], &device);

	if (code == CTL_DONE)
		code =
		    ctl_confirm(ctl,
				"This ends the former address of the device \"%.*s\": a panel that "
				"still uses it is refused.",
				STR_ARG(device.name));
	if (code != CTL_DONE)
		return code;
	return order(ctl, &device,
		     (struct ctl_request){
			 .method = "DELETE",
			 .sentences = {{404, "the device has no former address",
					ARENA_JOIN(&ctl->arena, STR("the device "), device.name,
						   STR(" has no former address"))}}},
		     "/alias", &alias_record, STR("ended"));
}
