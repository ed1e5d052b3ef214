#include "ctl/server/client.h"

#include <text/utf8.h>

enum ctl_exit ctl_find_installation(struct ctl *ctl, struct str device_id, struct str id,
				    struct ctl_found *ret_found)
{
	struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, STR("/v1/devices/"), device_id, STR("/rotation")),
	    .subject = ctl_value(ctl, "device")};
	struct str rotation = {0};
	enum ctl_exit code;

	if (!utf8_is_valid(id))
		return ctl_fail(CTL_USAGE, "the installation's ID must be UTF-8");
	code = ctl_ask_json(ctl, &request, &rotation);
	if (code != CTL_DONE)
		return code;
	*ret_found = (struct ctl_found){.id = id, .segment = ctl_encode(ctl, id)};
	ret_found->json = ctl_json_find(ctl, rotation, "entries", "installationId", id);
	if (!ret_found->json.data)
		return ctl_fail(CTL_NOT_FOUND, "the device has no installation %.*s", STR_ARG(id));
	return CTL_DONE;
}
