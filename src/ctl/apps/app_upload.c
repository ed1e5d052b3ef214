/* displayctl app upload: submits a folder as a new version of an app, and prints the verdict about
 * it. displayctl app deploy: makes an approved version the deployed one. */
#include "app_folder.h"
#include "app_manifest.h"
#include "app_report.h"
#include "base/clock.h"
#include "base/memory.h"
#include "ctl/server/client.h"
#include "domain/app_import.h"

#include <libgen.h>
#include <stdlib.h>
#include <text/utf8.h>
#include <yyjson.h>

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
	struct app_version version;
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
	    app_manifest_read(arena_printf(&ctl->arena, "%s/manifest.yaml", upload->folder).data,
			      &ctl->arena, &manifest, &why) &&
	    manifest.id.length)
		return manifest.id;
	return own_name(ctl, upload->path);
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
	if (!utf8_is_valid(script) || memchr(script.data ?: "", '\0', script.length))
		return ctl_fail(CTL_FAILED, "%s: its script or the name of a file is not UTF-8",
				upload->path);
	app_checksum(upload->is_typescript ? STR("TYPESCRIPT") : STR("STARLARK"), script, checksum);
	upload->app = ctl_lower(ctl, app_of(upload));
	upload->name = ctl->positionals[1].data ? ctl->positionals[1]
						: arena_copy(&ctl->arena, import_version(checksum));
	return CTL_DONE;
}

/* ---- requests ---- */

struct found_app {
	struct str id;
};

static const struct record_field id_fields[] = {
    RECORD_STR(struct found_app, id, .name = "id"),
};
static const struct record id_record = RECORD(struct found_app, id_fields);

/* Finds an app as a part of a path: for the operator, who has no account of its own, its ID. */
static enum ctl_exit find_app(struct ctl *ctl, struct str app, struct str *ret_segment)
{
	struct str missing = ARENA_JOIN(&ctl->arena, STR("there is no app "), app,
					STR("; see displayctl app create"));
	struct ctl_request request = {.sentences = {{404, NULL, missing}}};
	struct found_app found = {0};
	enum ctl_exit code;

	if (!utf8_is_valid(app))
		return ctl_fail(CTL_USAGE, "the name of the app must be UTF-8");
	if (!ctl_is_segment(app))
		return ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(missing));
	*ret_segment = ctl_encode(ctl, ctl_lower(ctl, app));
	if (ctl->remote)
		return CTL_DONE;
	request.path = ARENA_JOIN(&ctl->arena, STR("/web/admin/apps/"), *ret_segment);
	code = ctl_ask_row(ctl, &request, &id_record, &found);
	*ret_segment = found.id;
	return code;
}

/* Sets the request's path to that of the app, followed by rest. */
static enum ctl_exit name_app(struct ctl *ctl, struct str app, struct str rest,
			      struct ctl_request *request)
{
	struct str segment = {0};
	enum ctl_exit code = find_app(ctl, app, &segment);

	request->path = ARENA_JOIN(&ctl->arena, STR("/v1/apps/"), segment, rest);
	request->sentences[0] =
	    (struct ctl_sentence){404, PROBLEM_APP_NOT_FOUND,
				  ARENA_JOIN(&ctl->arena, STR("there is no app "), app,
					     STR("; see displayctl app create"))};
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
	ctl_write_body(
	    (const struct ctl_member[]){
		{"version", upload->name, false},
		{"scriptLanguage", upload->is_typescript ? STR("TYPESCRIPT") : STR("STARLARK"),
		 false},
		{"scriptContent", buffer_view(&upload->script), false},
		{0}},
	    &body);
	request.body = buffer_view(&body);
	code = ctl_ask_row(ctl, &request, &app_version_record, &upload->version);
	buffer_finish(&body);
	return code;
}

/* ---- the verdict ---- */

struct check {
	struct str state, summary, problem, remark, fields, frames, bytes, cpu_ms;
};

static const struct record_field check_fields[] = {
    RECORD_STR(struct check, state, .name = "state"),
    RECORD_STR(struct check, summary, .name = "summary"),
    RECORD_JSON(struct check, problem, .name = "problem"),
    RECORD_JSON(struct check, remark, .name = "remark"),
    RECORD_JSON(struct check, fields, .name = "fields"),
    RECORD_JSON(struct check, frames, .name = "frames"),
    RECORD_JSON(struct check, bytes, .name = "bytes"),
    RECORD_JSON(struct check, cpu_ms, .name = "cpuMs"),
};
static const struct record check_record = RECORD(struct check, check_fields);

static enum ctl_exit find_check(struct upload *upload, struct check *ret_check)
{
	struct ctl *ctl = upload->ctl;
	struct ctl_request request = {.patience_ms = ANSWER_MS};
	uint64_t until_ms = clock_monotonic_ms() + PATIENCE_MS;
	struct str rest = ARENA_JOIN(&ctl->arena, STR("/versions/"), ctl_encode(ctl, upload->name),
				     STR("/check"));
	enum ctl_exit code = name_app(ctl, upload->app, rest, &request);

	while (code == CTL_DONE) {
		code = ctl_ask_row(ctl, &request, &check_record, ret_check);
		if (code != CTL_DONE || !str_equal(ret_check->state, STR("pending")) ||
		    clock_monotonic_ms() >= until_ms)
			break;
	}
	return code;
}

static struct str text_of(yyjson_val *object, const char *name)
{
	yyjson_val *text = yyjson_obj_get(object, name);

	return (struct str){yyjson_get_str(text), yyjson_get_len(text)};
}

/* Appends the problem as app render does, in the author's own file. */
static void append_problem(const struct upload *upload, struct str json, struct buffer *text)
{
	yyjson_doc *parsed = yyjson_read(json.data, json.length, 0);
	yyjson_val *root = yyjson_doc_get_root(parsed);
	const struct engine_problem problem = {
	    .message = text_of(root, "message"),
	    .file = text_of(root, "file"),
	    .line = yyjson_get_int(yyjson_obj_get(root, "line")),
	    .column = yyjson_get_int(yyjson_obj_get(root, "column")),
	};

	app_report_error(upload->folder ?: upload->path, upload->folder, &problem, text);
	yyjson_doc_free(parsed);
}

struct uploaded {
	struct str app;
	struct app_version version;
	struct check check;
	struct str check_json;
};

static const struct record_field uploaded_fields[] = {
    RECORD_STR(struct uploaded, app, .name = "app"),
    RECORD_ROW(struct uploaded, version, &app_version_record, .is_shown = true),
    RECORD_JSON(struct uploaded, check_json, .name = "check"),
};
static const struct record uploaded_record = RECORD(struct uploaded, uploaded_fields);

static enum ctl_exit print_json(const struct upload *upload, const struct check *check)
{
	struct uploaded uploaded = {.app = upload->app, .version = upload->version};
	struct buffer json = {0};
	enum ctl_exit code;

	record_write_json(&check_record, check, &json);
	uploaded.check_json = buffer_view(&json);
	code = ctl_print_row(upload->ctl, &uploaded_record, &uploaded);
	buffer_finish(&json);
	return code;
}

static enum ctl_exit print_text(const struct upload *upload, const struct check *check)
{
	struct buffer text = {0};
	enum ctl_exit code;

	ctl_append_visible(upload->app, "", &text);
	buffer_append_char(&text, ' ');
	ctl_append_visible(upload->version.version, "", &text);
	buffer_append_str(&text, STR(" awaits review\n"));
	if (check->problem.length && !str_equal(check->problem, STR("null")))
		append_problem(upload, check->problem, &text);
	else
		ctl_append_visible(check->summary, "", &text);
	if (text.data[text.end - 1] != '\n')
		buffer_append_char(&text, '\n');
	code = ctl_print(&text);
	buffer_finish(&text);
	return code;
}

static enum ctl_exit report(const struct upload *upload, const struct check *check)
{
	enum ctl_exit code =
	    upload->ctl->json ? print_json(upload, check) : print_text(upload, check);

	if (code != CTL_DONE)
		return code;
	if (str_equal(check->state, STR("bad")))
		return ctl_fail(CTL_FAILED,
				"the version cannot run, so it cannot be approved; correct it, and "
				"upload it after the review of this one");
	if (str_equal(check->state, STR("pending")))
		return ctl_fail(CTL_DATABASE, "the server has not checked the version yet");
	return CTL_DONE;
}

enum ctl_exit ctl_app_upload(struct ctl *ctl)
{
	struct upload upload = {.ctl = ctl, .path = ctl->options.positionals[0]};
	struct check check = {0};
	enum ctl_exit code = read_app(&upload);

	if (code == CTL_DONE)
		code = send_version(&upload);
	if (code == CTL_DONE)
		code = find_check(&upload, &check);
	if (code == CTL_DONE)
		code = report(&upload, &check);
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
	request.body = ctl_body(ctl, (const struct ctl_member[]){{"version", version, false}, {0}});
	request.sentences[1] =
	    (struct ctl_sentence){404, PROBLEM_VERSION_NOT_FOUND,
				  ARENA_JOIN(&ctl->arena, STR("there is no version "), version)};
	return ctl_show(ctl, &request);
}
