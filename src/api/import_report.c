#include "import_report.h"
#include "endpoints.h"
#include "import_state.h"

/* Report of an import. */

static struct tronbyt_shown shown_of(const struct tronbyt_importing *importing, unsigned index)
{
	static const char *const states[] = {
	    [IMPORT_NEW] = "new", [IMPORT_THERE] = "there", [IMPORT_FAILED] = "failed"};
	const struct tronbyt_device *file = &importing->body.export.devices[index];
	const struct import_device *device = &importing->devices[index];
	struct tronbyt_shown shown = {
	    .former_id = file->former_id,
	    .name = device->name,
	    .state = str_from(states[device->state]),
	    .entries = device->state == IMPORT_NEW ? device->entry_count : 0,
	    .entries_in_file = file->entries_in_file,
	};

	if (device->state == IMPORT_THERE)
		shown.id = device->id;
	if (device->state != IMPORT_NEW)
		return shown;
	if (device->has_alias)
		shown.alias = file->alias;
	shown.alias_needs_key = device->has_alias && device->needs_key;
	if (importing->is_dry)
		return shown;
	shown.id = device->id;
	shown.websocket_url = device->link.websocket_url;
	shown.polling_url = device->link.polling_url;
	shown.key = str_from(device->key);
	return shown;
}

static void write_note(const struct tronbyt_note *note, bool *is_first, struct buffer *json)
{
	if (!*is_first)
		buffer_append_char(json, ',');
	*is_first = false;
	record_write_json(&tronbyt_note_record, note, json);
}

/* Appends the notes of a device, and how many it has that are not in its list. */
static void write_notes(struct arena *arena, const struct tronbyt_device *device, bool *is_first,
			struct buffer *json)
{
	const struct tronbyt_notes *notes = &device->notes;
	struct tronbyt_note rest = {.device = device->name, .what = STR("more")};

	for (unsigned i = 0; i < notes->count; i++)
		write_note(&notes->list[i], is_first, json);
	if (notes->dropped == 0)
		return;
	rest.why = arena_printf(arena,
				notes->dropped == 1
				    ? "%u more item of this device was left out or changed, and is "
				      "not listed"
				    : "%u more items of this device were left out or changed, and "
				      "are not listed",
				notes->dropped);
	write_note(&rest, is_first, json);
}

struct step_result import_report(struct task *task)
{
	const struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_export *export = &importing->body.export;
	struct buffer json = {0};
	struct step_result answer;
	bool is_first = true;

	buffer_append_str(&json, importing->is_dry ? STR("{\"isDryRun\":true,\"devices\":[")
						   : STR("{\"isDryRun\":false,\"devices\":["));
	for (unsigned i = 0; i < export->device_count; i++) {
		struct tronbyt_shown shown = shown_of(importing, i);

		if (i)
			buffer_append_char(&json, ',');
		record_write_json(&tronbyt_shown_record, &shown, &json);
	}
	buffer_append_str(&json, importing->can_open_addresses
				     ? STR("],\"canOpenAddresses\":true,\"notBrought\":[")
				     : STR("],\"canOpenAddresses\":false,\"notBrought\":["));
	for (unsigned i = 0; i < export->device_count; i++)
		if (importing->devices[i].state != IMPORT_THERE)
			write_notes(task_arena(task), &export->devices[i], &is_first, &json);
	buffer_append_str(&json, STR("]}"));
	answer = task_reply_json(task, 200, &json);
	buffer_finish(&json);
	return answer;
}
