/* displayctl firmware: images of panels' firmware. */
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/shell/input.h"
#include "domain/esp_image.h"

static struct str write_body(struct ctl *ctl, struct str file)
{
	return ctl_body_of_options(ctl, CTL_MEMBERS({"board", ctl->positionals[0], false},
						    {"image", ctl_base64(ctl, file), false}));
}

enum ctl_exit ctl_firmware_add(struct ctl *ctl)
{
	struct str path = ctl->positionals[1];
	const struct ctl_fault faults[] = {
	    {"image", NULL, CTL_USAGE, path, {0}},
	    {"board", NULL, CTL_USAGE, ctl->positionals[0], {0}},
	    {0},
	};
	struct buffer file = {0};
	enum ctl_exit code = ctl_read_file("", path.data, ESP_IMAGE_BYTES_MAX, &file);

	if (code == CTL_DONE)
		code =
		    ctl_show(ctl, &(struct ctl_request){.method = "POST",
							.path = STR("/web/admin/firmware"),
							.body = write_body(ctl, buffer_view(&file)),
							.faults = faults});
	buffer_finish(&file);
	return code;
}

enum ctl_exit ctl_find_firmware(struct ctl *ctl, struct ctl_found *ret_found)
{
	const struct ctl_request list = {.path = STR("/web/admin/firmware")};
	struct str board = ctl->positionals[0], version = ctl->positionals[1], images = {0};
	enum ctl_exit code = ctl_ask_json(ctl, &list, &images);

	if (code != CTL_DONE)
		return code;
	images = ctl_json_rows(ctl, images, "board", board);
	ret_found->json = ctl_json_find(ctl, images, NULL, "version", version);
	ret_found->id = ret_found->segment = ctl_json_text(ctl, ret_found->json, "id");
	return ret_found->id.data ? CTL_DONE
				  : ctl_fail(CTL_NOT_FOUND, "there is no image of %.*s for %.*s",
					     STR_ARG(version), STR_ARG(board));
}
