/* The versions of an app, with what reviewers said, and their scripts. */
#include "base/utf8.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "domain/app.h"

#include <unistd.h>

/* ---- app show ---- */

static const struct record_field app_fields[] = {
    RECORD_ROW(struct inventory_app_get_row, own_app, &own_app_record, .is_shown = true),
    RECORD_STR(struct inventory_app_get_row, account, .name = "account", .nullable = true),
    RECORD_INT8(struct inventory_app_get_row, versions, .name = "versions"),
    RECORD_INT8(struct inventory_app_get_row, installations, .name = "installations"),
};
static const struct record app_shown_record = RECORD(struct inventory_app_get_row, app_fields);

static enum ctl_exit find_app(struct ctl *ctl, struct inventory_app_get_row *ret_app)
{
	struct str app = ctl->positionals[0];
	struct ctl_request request = {0};

	if (!utf8_is_valid(app))
		return ctl_fail(CTL_USAGE, "the name of the app must be UTF-8");
	if (!ctl_is_segment(app))
		return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s", STR_ARG(app));
	request.path = ARENA_JOIN(&ctl->arena, STR("/web/admin/apps/"), ctl_encode(ctl, app));
	request.sentences[0] =
	    (struct ctl_sentence){404, NULL, ARENA_JOIN(&ctl->arena, STR("there is no app "), app)};
	return ctl_ask_row(ctl, &request, &app_shown_record, ret_app);
}

enum ctl_exit ctl_app_show(struct ctl *ctl)
{
	struct inventory_app_get_row app = {0};
	enum ctl_exit code = find_app(ctl, &app);

	return code == CTL_DONE ? ctl_print_row(ctl, &app_shown_record, &app) : code;
}

/* ---- version list, version show ---- */

/* *ret_path: of the versions. */
static enum ctl_exit ask(struct ctl *ctl, struct str *ret_path, struct ctl_rows *ret_rows)
{
	struct inventory_app_get_row app = {0};
	struct ctl_request request = {0};
	enum ctl_exit code = find_app(ctl, &app);

	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/studio/", app.own_app.id, "/versions");
	*ret_path = request.path;
	return ctl_ask_rows(ctl, &request, &app_version_record, ret_rows);
}

enum ctl_exit ctl_version_list(struct ctl *ctl)
{
	struct ctl_rows rows;
	struct str path;
	enum ctl_exit code = ask(ctl, &path, &rows);

	return code == CTL_DONE ? ctl_print_rows(ctl, &app_version_record, &rows) : code;
}

struct shown_version {
	struct app_version version;
	struct str script;
};

static const struct record_field shown_fields[] = {
    RECORD_ROW(struct shown_version, version, &app_version_record, .is_shown = true),
    RECORD_STR(struct shown_version, script, .name = "script"),
};
static const struct record shown_record = RECORD(struct shown_version, shown_fields);

/* A stranger wrote it: a terminal would obey what it holds. */
static void append_script(struct str script, struct buffer *text)
{
	if (isatty(STDOUT_FILENO))
		ctl_append_visible(script, "\n\t", text);
	else
		buffer_append_str(text, script);
	if (script.length && script.data[script.length - 1] != '\n' && isatty(STDOUT_FILENO))
		buffer_append_char(text, '\n');
}

/* Prints the version; with --script only the script, so that it can go into a file. */
static enum ctl_exit print(struct ctl *ctl, const struct shown_version *shown)
{
	bool is_alone = ctl_value(ctl, "script").data;
	struct buffer text = {0};
	enum ctl_exit code = CTL_DONE;

	if (ctl->json)
		return ctl_print_row(ctl, &shown_record, shown);
	if (!is_alone) {
		code = ctl_print_row(ctl, &app_version_record, &shown->version);
		buffer_append_char(&text, '\n');
	}
	append_script(shown->script, &text);
	if (code == CTL_DONE)
		code = ctl_print(&text);
	buffer_finish(&text);
	return code;
}

static const struct record_field script_fields[] = {
    RECORD_STR(struct shown_version, script, .name = "scriptContent"),
};
static const struct record script_record = RECORD(struct shown_version, script_fields);

static const struct app_version *find_version(const struct ctl_rows *rows, struct str name)
{
	const struct app_version *versions = rows->rows;

	for (unsigned i = 0; i < rows->count; i++)
		if (str_equal(versions[i].version, name))
			return &versions[i];
	return NULL;
}

enum ctl_exit ctl_version_show(struct ctl *ctl)
{
	struct str name = ctl->positionals[1], path;
	const struct app_version *version;
	struct shown_version shown = {0};
	struct ctl_request request = {.sentences = {{404, NULL, STR("the version is gone")}}};
	char id[ID_TEXT_LENGTH + 1];
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!utf8_is_valid(name))
		return ctl_fail(CTL_USAGE, "the name of the version must be UTF-8");
	code = ask(ctl, &path, &rows);
	if (code != CTL_DONE)
		return code;
	version = find_version(&rows, name);
	if (!version)
		return ctl_fail(CTL_NOT_FOUND, "the app has no version %.*s", STR_ARG(name));
	shown.version = *version;
	id_format(version->id, id);
	request.path = ARENA_JOIN(&ctl->arena, path, STR("/"), str_from(id), STR("/script"));
	code = ctl_ask_row(ctl, &request, &script_record, &shown);
	return code == CTL_DONE ? print(ctl, &shown) : code;
}
