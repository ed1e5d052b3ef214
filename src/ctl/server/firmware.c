/* displayctl firmware: images of panels' firmware. */
#include "base/memory.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/shell/input.h"
#include "domain/esp_image.h"
#include "domain/firmware_image.h"

static const struct record_field fields[] = {
    RECORD_ID(struct firmware_image, id, .name = "id"),
    RECORD_STR(struct firmware_image, board, .name = "board"),
    RECORD_STR(struct firmware_image, version, .name = "version"),
};
static const struct record row_record = RECORD(struct firmware_image, fields);

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

enum ctl_exit ctl_firmware_remove(struct ctl *ctl)
{
	const struct ctl_request list = {.path = STR("/web/admin/firmware")};
	struct str board = ctl->positionals[0], version = ctl->positionals[1];
	struct ctl_rows rows = {0};
	enum ctl_exit code = ctl_ask_rows(ctl, &list, &row_record, &rows);
	const struct firmware_image *images = rows.rows;

	if (code != CTL_DONE)
		return code;
	for (unsigned i = 0; i < rows.count; i++)
		if (str_equal(images[i].board, board) && str_equal(images[i].version, version))
			return ctl_ask_row(
			    ctl,
			    &(struct ctl_request){
				.method = "DELETE",
				.path = ctl_path(ctl, "/web/admin/firmware/", images[i].id, "")},
			    NULL, NULL);
	return ctl_fail(CTL_NOT_FOUND, "there is no image of %.*s for %.*s", STR_ARG(version),
			STR_ARG(board));
}
