#include "base/utf8.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"

static void say_devices(const struct inventory_device *devices, unsigned count)
{
	char id[ID_TEXT_LENGTH + 1];

	for (unsigned i = 0; i < count; i++) {
		id_format(devices[i].id, id);
		ctl_say("  %s  %.*s", id, STR_ARG(devices[i].account));
	}
}

/* Fails unless there is one of this name. Behind the devices there may be those whose panels say
 * that they have this address. */
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
		code = ctl_fail(CTL_REFUSED, "several devices are called %.*s: give the ID of one",
				STR_ARG(name));
		say_devices(devices, count);
		return code;
	}
	if (rows->count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s", STR_ARG(name));
	code = ctl_fail(CTL_NOT_FOUND,
			"there is no device %.*s; panels of these say that they have this address:",
			STR_ARG(name));
	say_devices(devices, rows->count);
	return code;
}

enum ctl_exit ctl_find_listed_device(struct ctl *ctl, struct str name,
				     struct inventory_device *ret_device)
{
	struct ctl_request request = {0};
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!utf8_is_valid(name))
		return ctl_fail(CTL_USAGE, "the device's name must be UTF-8");
	request.path =
	    ARENA_JOIN(&ctl->arena, STR("/web/admin/devices?name="), ctl_encode(ctl, name));
	code = ctl_ask_rows(ctl, &request, &inventory_device_record, &rows);
	if (code == CTL_DONE)
		code = check_is_one(name, &rows);
	if (code == CTL_DONE)
		*ret_device = *(const struct inventory_device *)rows.rows;
	return code;
}

struct ctl_sentence ctl_no_device(struct ctl *ctl)
{
	return (struct ctl_sentence){
	    404, NULL, ARENA_JOIN(&ctl->arena, STR("there is no device "), ctl->positionals[0])};
}
