/* displayctl app upload: submits a folder as a new version of an app, and prints the verdict about
 * it. displayctl app deploy: makes an approved version the deployed one. */
#include "app_folder.h"
#include "app_report.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "ctl/server/client.h"
#include "domain/app_import.h"

#include <libgen.h>
#include <stdlib.h>
#include <text/utf8.h>

enum {
	/* Limit of one answer, which comes after 10 s at most; time after which a busy server is
	 * not asked again. */
	ANSWER_MS = 30 * 1000,
	PATIENCE_MS = 60 * 1000,
};

struct upload {
	struct ctl *ctl;
	const char *path;
	char *folder;	      /* the folder of the files that errors name; NULL: a single script */
	struct buffer script; /* as it is sent */
	bool is_typescript;
	struct str app, name; /* name: of the version */
	struct str version;   /* the server's answer */
};

/* ---- what is uploaded ---- */

/* Returns the name of the folder, or that of the script without its ending. */
static struct str own_name(struct ctl *ctl, const char *path)
{
	char *full = realpath(path, NULL);
	struct str name = arena_copy(&ctl->arena, str_from(basename(full ?: (char *)path)));

	free(full);
	if (str_ends_with(name, STR(".star")))
		name.length -= strlen(".star");
	else if (str_ends_with(name, STR(".ts")))
		name.length -= strlen(".ts");
	return name;
}

/* Returns the app: --app, the manifest's ID, or the name of the folder. */
static struct str app_of(const struct upload *upload)
{
	struct ctl *ctl = upload->ctl;
	struct str given = ctl_value(ctl, "app"), why;
	struct app_manifest manifest = {0};

	if (given.data)
		return given;
	if (upload->folder &&
	    app_folder_manifest(arena_printf(&ctl->arena, "%s/manifest.yaml", upload->folder).data,
				&ctl->arena, &manifest, &why) &&
	    manifest.id.length)
		return manifest.id;
	return own_name(ctl, upload->path);
}

static struct str language_of(const struct upload *upload)
{
	return upload->is_typescript ? STR("TYPESCRIPT") : STR("STARLARK");
}

static enum ctl_exit read_app(struct upload *upload)
{
	struct ctl *ctl = upload->ctl;
	char fault[APP_FAULT_MAX], checksum[APP_CHECKSUM_LENGTH + 1];
	struct str script;

	if (app_folder_read(upload->path, &upload->script, &upload->is_typescript, &upload->folder,
			    fault) < 0)
		return ctl_fail(CTL_FAILED, "%s", fault);
	script = buffer_view(&upload->script);
	if (script.length == 0)
		return ctl_fail(CTL_FAILED, "%s: there is no script in it, NAME.star or NAME.ts",
				upload->path);
	if (script.length > LIMIT_SCRIPT_BYTES)
		return ctl_fail(
		    CTL_FAILED, "%s: has %zu bytes%s, maximum %d", upload->path, script.length,
		    upload->folder ? ", with the files that it loads" : "", LIMIT_SCRIPT_BYTES);
	if (!utf8_is_valid(script) || memchr(script.data ?: "", '\0', script.length))
		return ctl_fail(CTL_FAILED, "%s: its script or the name of a file is not UTF-8",
				upload->path);
	app_checksum(language_of(upload), script, checksum);
	upload->app = ctl_lower(ctl, app_of(upload));
	upload->name = ctl->positionals[1].data ? ctl->positionals[1]
						: arena_copy(&ctl->arena, import_version(checksum));
	return CTL_DONE;
}

/* ---- requests ---- */

/* Sets the request's path to that of the app, followed by rest. The operator, who has no account,
 * names it by its ID. */
static enum ctl_exit name_app(struct ctl *ctl, struct str app, struct str rest,
			      struct ctl_request *request)
{
	struct str found = {0}, missing = ARENA_JOIN(&ctl->arena, STR("there is no app "), app,
						     STR("; see displayctl app create"));
	struct ctl_request look = {0};
	enum ctl_exit code = CTL_DONE;

	if (!ctl->remote) {
		code = ctl_name_app(ctl, "/web/admin", app, STR(""), missing, &look);
		if (code == CTL_DONE)
			code = ctl_ask_json(ctl, &look, &found);
		app = ctl_json_text(ctl, found, "id");
	}
	if (code == CTL_DONE)
		code = ctl_name_app(ctl, "/v1", app, rest, missing, request);
	request->sentences[0].problem = PROBLEM_APP_NOT_FOUND;
	return code;
}

static enum ctl_exit send_version(struct upload *upload)
{
	struct ctl *ctl = upload->ctl;
	struct ctl_request request = {.method = "POST"};
	struct buffer body = {0};
	enum ctl_exit code = name_app(ctl, upload->app, STR("/upload"), &request);

	if (code != CTL_DONE)
		return code;
	ctl_write_body(CTL_MEMBERS(ctl_text("version", upload->name),
				   ctl_text("scriptLanguage", language_of(upload)),
				   ctl_text("scriptContent", buffer_view(&upload->script))),
		       &body);
	request.body = buffer_view(&body);
	code = ctl_ask_json(ctl, &request, &upload->version);
	buffer_finish(&body);
	return code;
}

/* ---- the verdict ---- */

/* Waits for the verdict. *ret_check: the server's answer. */
static enum ctl_exit find_check(struct upload *upload, struct str *ret_check)
{
	struct ctl *ctl = upload->ctl;
	struct ctl_request request = {.patience_ms = ANSWER_MS};
	uint64_t until_ms = clock_monotonic_ms() + PATIENCE_MS;
	struct str rest = ARENA_JOIN(&ctl->arena, STR("/versions/"), ctl_encode(ctl, upload->name),
				     STR("/check"));
	enum ctl_exit code = name_app(ctl, upload->app, rest, &request);

	while (code == CTL_DONE) {
		code = ctl_ask_json(ctl, &request, ret_check);
		if (code != CTL_DONE ||
		    !str_equal(ctl_json_text(ctl, *ret_check, "state"), STR("pending")) ||
		    clock_monotonic_ms() >= until_ms)
			break;
	}
	return code;
}

/* Appends the problem as app render does, in the author's own file. */
static void append_problem(const struct upload *upload, struct str json, struct buffer *text)
{
	struct ctl *ctl = upload->ctl;
	const struct engine_problem problem = {
	    .message = ctl_json_text(ctl, json, "message"),
	    .file = ctl_json_text(ctl, json, "file"),
	    .line = (int)ctl_json_number(json, "line"),
	    .column = (int)ctl_json_number(json, "column"),
	};

	app_report_error(upload->folder ?: upload->path, upload->folder, &problem, text);
}

static enum ctl_exit print_json(const struct upload *upload, struct str check)
{
	struct ctl *ctl = upload->ctl;

	return ctl_print_json(
	    ctl, ctl_json_with(ctl, upload->version,
			       CTL_MEMBERS(ctl_text("app", upload->app), {"check", check, true})));
}

static enum ctl_exit print_text(const struct upload *upload, struct str check)
{
	struct str problem = ctl_json_part(upload->ctl, check, "problem");
	struct buffer text = {0};
	enum ctl_exit code;

	ctl_append_visible(upload->app, "", &text);
	buffer_append_char(&text, ' ');
	ctl_append_visible(upload->name, "", &text);
	buffer_append_str(&text, STR(" awaits review\n"));
	if (problem.length && !str_equal(problem, STR("null")))
		append_problem(upload, problem, &text);
	else
		ctl_append_visible(ctl_json_text(upload->ctl, check, "summary"), "", &text);
	if (text.data[text.end - 1] != '\n')
		buffer_append_char(&text, '\n');
	code = ctl_print(&text);
	buffer_finish(&text);
	return code;
}

static enum ctl_exit report(const struct upload *upload, struct str check)
{
	struct str state = ctl_json_text(upload->ctl, check, "state");
	enum ctl_exit code =
	    upload->ctl->json ? print_json(upload, check) : print_text(upload, check);

	if (code != CTL_DONE)
		return code;
	if (str_equal(state, STR("bad")))
		return ctl_fail(CTL_FAILED,
				"the version cannot run, so it cannot be approved; correct it, and "
				"upload it after the review of this one");
	if (str_equal(state, STR("pending")))
		return ctl_fail(CTL_DATABASE, "the server has not checked the version yet");
	return CTL_DONE;
}

enum ctl_exit ctl_app_upload(struct ctl *ctl)
{
	struct upload upload = {.ctl = ctl, .path = ctl->options.positionals[0]};
	struct str check = {0};
	enum ctl_exit code = read_app(&upload);

	if (code == CTL_DONE)
		code = send_version(&upload);
	if (code == CTL_DONE)
		code = find_check(&upload, &check);
	if (code == CTL_DONE)
		code = report(&upload, check);
	buffer_finish(&upload.script);
	free(upload.folder);
	return code;
}

/* ---- app deploy ---- */

/* Finds the newest approved version. */
static enum ctl_exit find_newest(struct ctl *ctl, struct str *ret_version)
{
	struct ctl_request request = {0};
	struct str app = ctl->positionals[0];
	enum ctl_exit code = name_app(ctl, app, STR("/versions"), &request);
	const struct app_version *versions;
	struct ctl_rows rows;

	/* The operator lists those of public apps, too. */
	if (code == CTL_DONE && !ctl->remote)
		request.path = ARENA_JOIN(&ctl->arena, STR("/web/studio/"),
					  str_from_offset(request.path, strlen("/v1/apps/")));
	request.sentences[1] = (struct ctl_sentence){
	    403, PROBLEM_APP_NOT_PRIVATE,
	    STR("the versions of a public app cannot be listed with an API key: name the VERSION")};
	if (code == CTL_DONE)
		code = ctl_ask_rows(ctl, &request, &app_version_record, &rows);
	if (code != CTL_DONE)
		return code;
	versions = rows.rows;
	for (unsigned i = 0; i < rows.count; i++) {
		if (!str_equal(versions[i].status, STR("APPROVED")))
			continue;
		*ret_version = versions[i].version;
		return CTL_DONE;
	}
	return ctl_fail(CTL_REFUSED, "no version of %.*s is approved", STR_ARG(app));
}

enum ctl_exit ctl_app_deploy(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST", .patience_ms = ANSWER_MS};
	struct str version = ctl->positionals[1];
	enum ctl_exit code = version.data ? CTL_DONE : find_newest(ctl, &version);

	if (code == CTL_DONE)
		code = name_app(ctl, ctl->positionals[0], STR("/deploy"), &request);
	if (code != CTL_DONE)
		return code;
	request.body = ctl_body(ctl, CTL_MEMBERS(ctl_text("version", version)));
	request.sentences[1] =
	    (struct ctl_sentence){404, PROBLEM_VERSION_NOT_FOUND,
				  ARENA_JOIN(&ctl->arena, STR("there is no version "), version)};
	return ctl_show(ctl, &request);
}
