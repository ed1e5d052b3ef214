#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/shell/input.h"
#include "record/json.h"

enum { PLAN_FILE_BYTES_MAX = 100 * 1024 };

/* Finds the windows in a plan, or in a file that has them alone. */
static enum ctl_exit read_windows(struct ctl *ctl, struct str text, struct buffer *windows)
{
	struct json_document document = {0};
	struct str reason;
	unsigned count;
	const struct json_value *found;

	if (!json_parse(text, &ctl->arena, &document, &reason))
		return ctl_fail(CTL_USAGE, "the file is not JSON: %.*s", STR_ARG(reason));
	found =
	    json_is_object(document.root) ? json_member(document.root, "windows") : document.root;
	if (found && json_get_array(found, &count))
		json_write_value(windows, found);
	json_document_finish(&document);
	return buffer_length(windows)
		   ? CTL_DONE
		   : ctl_fail(CTL_USAGE, "the file has no windows: it must be an "
					 "array, or an object with the member "
					 "windows");
}

enum ctl_exit ctl_device_plan_set(struct ctl *ctl)
{
	struct buffer file = {0}, windows = {0};
	enum ctl_exit code =
	    ctl_read_file("", ctl->positionals[1].data, PLAN_FILE_BYTES_MAX, &file);

	if (code == CTL_DONE)
		code = read_windows(ctl, buffer_view(&file), &windows);
	if (code == CTL_DONE)
		code = ctl_plain_with(ctl, (const struct ctl_member[]){
					       {"windows", buffer_view(&windows), true}, {0}});
	buffer_finish(&file);
	buffer_finish(&windows);
	return code;
}
