/* The versions of an app, with what reviewers said, and their scripts. */
#include "base/require.h"
#include "base/utf8.h"
#include "ctl/ctl.h"
#include "domain/app.h"
#include "domain/review.h"

#include <unistd.h>

/* ---- app show ---- */

static const struct record_field app_fields[] = {
    RECORD_ROW(struct app_show_row, own_app, &own_app_record, .is_shown = true),
    RECORD_STR(struct app_show_row, account, .name = "account", .nullable = true),
    RECORD_INT8(struct app_show_row, versions, .name = "versions"),
    RECORD_INT8(struct app_show_row, installations, .name = "installations"),
};
static const struct record app_shown_record = RECORD(struct app_show_row, app_fields);

static enum ctl_exit find_app(struct ctl *ctl, const struct app_show_row **ret_app)
{
	struct str app = ctl->positionals[0];
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!utf8_is_valid(app))
		return ctl_fail(CTL_USAGE, "the name of the app must be UTF-8");
	statement_app_show(ctl_new_query(ctl), &(struct app_show_parameters){app}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s", STR_ARG(app));
	*ret_app = rows.rows;
	return CTL_DONE;
}

enum ctl_exit ctl_app_show(struct ctl *ctl)
{
	const struct app_show_row *app = NULL;
	enum ctl_exit code = find_app(ctl, &app);

	return code == CTL_DONE ? ctl_print_row(ctl, &app_shown_record, app) : code;
}

/* ---- version list, version show ---- */

static enum ctl_exit ask(struct ctl *ctl, struct str version, struct ctl_rows *ret_rows)
{
	const struct app_show_row *app = NULL;
	enum ctl_exit code = find_app(ctl, &app);

	if (code != CTL_DONE)
		return code;
	require(app);
	statement_version_list(
	    ctl_new_query(ctl),
	    &(struct version_list_parameters){.app_id = app->own_app.id, .version = version}, NULL);
	return ctl_query(ctl, ret_rows);
}

enum ctl_exit ctl_version_list(struct ctl *ctl)
{
	struct ctl_rows rows;
	enum ctl_exit code = ask(ctl, (struct str){0}, &rows);

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

enum ctl_exit ctl_version_show(struct ctl *ctl)
{
	struct str name = ctl->positionals[1];
	const struct review_scripts *scripts;
	struct shown_version shown = {0};
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!utf8_is_valid(name))
		return ctl_fail(CTL_USAGE, "the name of the version must be UTF-8");
	code = ask(ctl, name, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "the app has no version %.*s", STR_ARG(name));
	shown.version = *(const struct app_version *)rows.rows;
	statement_review_scripts(ctl_new_query(ctl),
				 &(struct review_scripts_parameters){shown.version.id}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "the version is gone");
	scripts = rows.rows;
	shown.script = scripts->script_content;
	return print(ctl, &shown);
}
