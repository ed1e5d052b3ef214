#include "settings_file.h"
#include "ctl/shell/input.h"

#include <sodium.h>

enum { FILE_BYTES_MAX = 256 * 1024 };

enum ctl_exit settings_file_fail(const struct faults *faults)
{
	for (unsigned i = 0; i < faults->count; i++)
		ctl_fail(CTL_USAGE, "the setting %.*s %.*s", STR_ARG(faults->list[i].name),
			 STR_ARG(faults->list[i].detail));
	return CTL_USAGE;
}

enum ctl_exit settings_file_read(struct ctl *ctl, struct settings *ret_settings)
{
	struct arena *arena = &ctl->arena;
	const char *path = ctl_value(ctl, "settings").data;
	struct json_document document = {0};
	struct buffer text = {0};
	struct faults faults;
	struct str reason;
	enum ctl_exit code;

	*ret_settings = (struct settings){0};
	if (!path)
		return CTL_DONE;
	faults_init(&faults, arena);
	code = ctl_read_file("--settings: ", path, FILE_BYTES_MAX, &text);
	if (code == CTL_DONE &&
	    (buffer_length(&text) > FILE_BYTES_MAX ||
	     !json_parse(arena_copy(arena, buffer_view(&text)), arena, &document, &reason) ||
	     !json_is_object(document.root)))
		code = ctl_fail(
		    CTL_USAGE, "--settings: %s must hold a JSON object such as {\"name\": \"Ada\"}",
		    path);
	if (code == CTL_DONE)
		settings_read(document.root, &faults, ret_settings);
	if (code == CTL_DONE && faults.count)
		code = settings_file_fail(&faults);
	json_document_finish(&document);
	sodium_memzero((void *)(uintptr_t)buffer_view(&text).data, buffer_length(&text));
	buffer_finish(&text);
	return code;
}
