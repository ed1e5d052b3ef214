/* Versions of an app, with reviews and scripts. */
#include "app_named.h"
#include "domain/studio.h"

#include <text/utf8.h>
#include <unistd.h>

/* ---- app show ---- */

static const struct record_field app_fields[] = {
    RECORD_ROW(struct inventory_app_get_row, own_app, &own_app_record, .is_shown = true),
    RECORD_STR(struct inventory_app_get_row, account, .name = "account", .nullable = true),
    RECORD_INT8(struct inventory_app_get_row, versions, .name = "versions"),
    RECORD_INT8(struct inventory_app_get_row, installations, .name = "installations"),
};
static const struct record app_shown_record = RECORD(struct inventory_app_get_row, app_fields);

struct str ctl_no_app(struct ctl *ctl)
{
	return ARENA_JOIN(&ctl->arena, STR("there is no app "), ctl->positionals[0]);
}

enum ctl_exit ctl_name_app(struct ctl *ctl, const char *root, const char *rest, struct str no_app,
			   struct ctl_request *request)
{
	struct str app = ctl->positionals[0];

	if (!utf8_is_valid(app))
		return ctl_fail(CTL_USAGE, "the name of the app must be UTF-8");
	if (!ctl_is_segment(app))
		return ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(no_app));
	request->path = ARENA_JOIN(&ctl->arena, str_from(root), STR("/apps/"),
				   ctl_encode(ctl, ctl_lower(ctl, app)), str_from(rest));
	request->sentences[0] = (struct ctl_sentence){404, NULL, no_app};
	return CTL_DONE;
}

static enum ctl_exit find_app(struct ctl *ctl, struct str no_app,
			      struct inventory_app_get_row *ret_app)
{
	struct ctl_request request = {0};
	enum ctl_exit code = ctl_name_app(ctl, "/web/admin", "", no_app, &request);

	return code == CTL_DONE ? ctl_ask_row(ctl, &request, &app_shown_record, ret_app) : code;
}

enum ctl_exit ctl_app_show(struct ctl *ctl)
{
	struct ctl_request request = {0};
	enum ctl_exit code =
	    ctl_name_app(ctl, ctl->remote ? "/v1" : "/web/admin", "", ctl_no_app(ctl), &request);

	if (code != CTL_DONE)
		return code;
	return ctl_show(ctl, &request, ctl->remote ? &app_detail_record : &app_shown_record);
}

enum ctl_exit ctl_app_remove(struct ctl *ctl)
{
	struct record shown = own_app_record;
	struct inventory_app_get_row app = {0};
	struct ctl_request request = {.method = "DELETE",
				      .sentences = {{404, NULL, ctl_no_app(ctl)}}};
	enum ctl_exit code = find_app(ctl, ctl_no_app(ctl), &app);

	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This removes the app \"%.*s\" with %lld versions, and removes "
				   "it from %lld rotations.",
				   STR_ARG(app.own_app.name), (long long)app.versions,
				   (long long)app.installations);
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/admin/apps/", app.own_app.id, "");
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	shown.field_count = 2; /* id and slug */
	return code == CTL_DONE ? ctl_print_row(ctl, &shown, &app.own_app) : code;
}

/* ---- version list, version show ---- */

/* Asks for the versions of the app. *ret_path: the path that was asked. */
static enum ctl_exit ask(struct ctl *ctl, struct str no_app, struct str *ret_path,
			 struct ctl_rows *ret_rows)
{
	struct inventory_app_get_row app = {0};
	struct ctl_request request = {0};
	enum ctl_exit code = find_app(ctl, no_app, &app);

	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/studio/", app.own_app.id, "/versions");
	*ret_path = request.path;
	return ctl_ask_rows(ctl, &request, &app_version_record, ret_rows);
}

enum ctl_exit ctl_version_list(struct ctl *ctl)
{
	struct ctl_request request = {0};
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!ctl->remote) {
		code = ask(ctl, ctl_no_app(ctl), &request.path, &rows);
		return code == CTL_DONE ? ctl_print_rows(ctl, &app_version_record, &rows) : code;
	}
	code = ctl_name_app(ctl, "/v1", "/versions", ctl_no_app(ctl), &request);
	return code == CTL_DONE ? ctl_list(ctl, &request, &app_version_record) : code;
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

/* Appends the script. It is untrusted: control characters are escaped for a terminal. */
static void append_script(struct str script, struct buffer *text)
{
	if (isatty(STDOUT_FILENO))
		ctl_append_visible(script, "\n\t", text);
	else
		buffer_append_str(text, script);
	if (script.length && script.data[script.length - 1] != '\n' && isatty(STDOUT_FILENO))
		buffer_append_char(text, '\n');
}

/* Prints the version and its script; with --script only the script, for redirecting to a file. */
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

enum ctl_exit ctl_find_version(struct ctl *ctl, struct str no_app, struct str no_version,
			       struct app_version *ret_version, struct str *ret_path)
{
	struct str name = ctl->positionals[1];
	const struct app_version *versions;
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!utf8_is_valid(name))
		return ctl_fail(CTL_USAGE, "the name of the version must be UTF-8");
	code = ask(ctl, no_app, ret_path, &rows);
	if (code != CTL_DONE)
		return code;
	versions = rows.rows;
	for (unsigned i = 0; i < rows.count; i++) {
		if (str_equal(versions[i].version, name)) {
			*ret_version = versions[i];
			return CTL_DONE;
		}
	}
	return ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(no_version));
}

enum ctl_exit ctl_version_show(struct ctl *ctl)
{
	struct str path, no_version = ARENA_JOIN(&ctl->arena, STR("the app has no version "),
						 ctl->positionals[1]);
	struct shown_version shown = {0};
	struct ctl_request request = {.sentences = {{404, NULL, STR("the version is gone")}}};
	char id[ID_TEXT_LENGTH + 1];
	enum ctl_exit code =
	    ctl_find_version(ctl, ctl_no_app(ctl), no_version, &shown.version, &path);

	if (code != CTL_DONE)
		return code;
	id_format(shown.version.id, id);
	request.path = ARENA_JOIN(&ctl->arena, path, STR("/"), str_from(id), STR("/script"));
	code = ctl_ask_row(ctl, &request, &script_record, &shown);
	return code == CTL_DONE ? print(ctl, &shown) : code;
}
