#include "outcome.h"
#include "record/json.h"

enum { APPS_MAX = 2000 };

static const char *const names[OUTCOME_KINDS] = {
    [OUTCOME_MADE] = "made",	 [OUTCOME_UPDATED] = "updated", [OUTCOME_UNCHANGED] = "unchanged",
    [OUTCOME_FAILED] = "failed", [OUTCOME_HELD] = "held",	[OUTCOME_GONE] = "gone",
};

void outcome_note(struct outcome *outcome, enum outcome_kind kind, struct str folder,
		  struct str reason)
{
	struct buffer *json = &outcome->apps;

	outcome->counts[kind]++;
	if (kind == OUTCOME_UNCHANGED || outcome->listed++ >= APPS_MAX)
		return;
	buffer_append_str(json, buffer_length(json) ? STR(",{\"folder\":") : STR("{\"folder\":"));
	json_write_str(json, folder);
	buffer_printf(json, ",\"state\":\"%s\",\"reason\":", names[kind]);
	if (reason.data)
		json_write_str(json, reason);
	else
		buffer_append_str(json, STR("null"));
	buffer_append_char(json, '}');
}

void outcome_keep(struct outcome *outcome, struct str folder, const char *sha256)
{
	buffer_printf(&outcome->folders, "\n%s ", sha256);
	buffer_append_str(&outcome->folders, folder);
	buffer_append_char(&outcome->folders, '\n');
}

bool outcome_is_kept(struct str folders, struct str folder, const char *sha256)
{
	struct buffer line = {0};
	bool is_kept;

	buffer_printf(&line, "\n%s %.*s\n", sha256, STR_ARG(folder));
	is_kept = folders.length && memmem(folders.data, folders.length, buffer_view(&line).data,
					   buffer_length(&line));
	buffer_finish(&line);
	return is_kept;
}

void outcome_finish(struct outcome *outcome)
{
	buffer_finish(&outcome->apps);
	buffer_finish(&outcome->folders);
}
