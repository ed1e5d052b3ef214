/* Apps, their versions and reviews. */
#include "domain/app.h"
#include "base/memory.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/studio.h"

#include <stdlib.h>
#include <text/utf8.h>
#include <unistd.h>

enum ctl_exit ctl_app_create(struct ctl *ctl)
{
	struct str slug = ctl_value(ctl, "slug");
	struct ctl_request request = {
	    .method = "POST", .path = STR("/web/studio"), .account = ctl_value(ctl, "account")};

	request.body = ctl_body_of_options(ctl, NULL);
	request.sentences[0] = (struct ctl_sentence){
	    409, PROBLEM_SLUG_USED,
	    ARENA_JOIN(&ctl->arena, STR("there is an app "), slug, STR(" already"))};
	return ctl_show(ctl, &request, &own_app_record);
}

/* Over --server, lists the apps that the account of the API key can install. */
enum ctl_exit ctl_app_list(struct ctl *ctl)
{
	struct str query = ctl_value(ctl, "broken").data ? STR("?broken=true") : STR("");
	const struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, ctl->remote ? STR("/v1/apps") : STR("/web/admin/apps"),
			       query),
	    .account = ctl_value(ctl, "account")};

	return ctl_list(ctl, &request, ctl->remote ? &app_listed_record : &own_app_record);
}

static const struct record_field app_fields[] = {
    RECORD_ROW(struct inventory_app_get_row, own_app, &own_app_record, .is_shown = true),
    RECORD_STR(struct inventory_app_get_row, account, .name = "account", .nullable = true),
    RECORD_INT8(struct inventory_app_get_row, versions, .name = "versions"),
    RECORD_INT8(struct inventory_app_get_row, installations, .name = "installations"),
};
static const struct record app_shown_record = RECORD(struct inventory_app_get_row, app_fields);

static struct str no_app(struct ctl *ctl)
{
	return ARENA_JOIN(&ctl->arena, STR("there is no app "), ctl->positionals[0]);
}

/* Sets the request's path to ROOT/apps/APP of the first argument, followed by rest; root:
 * "/web/admin" or "/v1". missing: message if there is no such app. */
static enum ctl_exit name_app(struct ctl *ctl, const char *root, const char *rest,
			      struct str missing, struct ctl_request *request)
{
	struct str app = ctl->positionals[0];

	if (!utf8_is_valid(app))
		return ctl_fail(CTL_USAGE, "the name of the app must be UTF-8");
	if (!ctl_is_segment(app))
		return ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(missing));
	request->path = ARENA_JOIN(&ctl->arena, str_from(root), STR("/apps/"),
				   ctl_encode(ctl, ctl_lower(ctl, app)), str_from(rest));
	request->sentences[0] = (struct ctl_sentence){404, NULL, missing};
	return CTL_DONE;
}

static enum ctl_exit find_app(struct ctl *ctl, struct str missing,
			      struct inventory_app_get_row *ret_app)
{
	struct ctl_request request = {0};
	enum ctl_exit code = name_app(ctl, "/web/admin", "", missing, &request);

	return code == CTL_DONE ? ctl_ask_row(ctl, &request, &app_shown_record, ret_app) : code;
}

enum ctl_exit ctl_app_show(struct ctl *ctl)
{
	struct ctl_request request = {0};
	enum ctl_exit code =
	    name_app(ctl, ctl->remote ? "/v1" : "/web/admin", "", no_app(ctl), &request);

	if (code != CTL_DONE)
		return code;
	return ctl_show(ctl, &request, ctl->remote ? &app_detail_record : &app_shown_record);
}

enum ctl_exit ctl_app_remove(struct ctl *ctl)
{
	struct record shown = own_app_record;
	struct inventory_app_get_row app = {0};
	struct ctl_request request = {.method = "DELETE", .sentences = {{404, NULL, no_app(ctl)}}};
	enum ctl_exit code = find_app(ctl, no_app(ctl), &app);

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

static enum ctl_exit allow(struct ctl *ctl, const char *verb)
{
	struct ctl_request request = {.method = "POST"};
	enum ctl_exit code = name_app(ctl, "/web/admin", verb, no_app(ctl), &request);

	return code == CTL_DONE ? ctl_show(ctl, &request, &own_app_record) : code;
}

enum ctl_exit ctl_app_disable(struct ctl *ctl)
{
	return allow(ctl, "/disable");
}

enum ctl_exit ctl_app_enable(struct ctl *ctl)
{
	return allow(ctl, "/enable");
}

/* ---- version list, version show ---- */

/* Asks for the versions of the app. *ret_path: the path that was asked. */
static enum ctl_exit ask(struct ctl *ctl, struct str missing, struct str *ret_path,
			 struct ctl_rows *ret_rows)
{
	struct inventory_app_get_row app = {0};
	struct ctl_request request = {0};
	enum ctl_exit code = find_app(ctl, missing, &app);

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
		code = ask(ctl, no_app(ctl), &request.path, &rows);
		return code == CTL_DONE ? ctl_print_rows(ctl, &app_version_record, &rows) : code;
	}
	code = name_app(ctl, "/v1", "/versions", no_app(ctl), &request);
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

/* Finds the version that the second argument names. *ret_path: path of the app's versions. */
static enum ctl_exit find_version(struct ctl *ctl, struct str missing, struct str no_version,
				  struct app_version *ret_version, struct str *ret_path)
{
	struct str name = ctl->positionals[1];
	const struct app_version *versions;
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!utf8_is_valid(name))
		return ctl_fail(CTL_USAGE, "the name of the version must be UTF-8");
	code = ask(ctl, missing, ret_path, &rows);
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
	enum ctl_exit code = find_version(ctl, no_app(ctl), no_version, &shown.version, &path);

	if (code != CTL_DONE)
		return code;
	id_format(shown.version.id, id);
	request.path = ARENA_JOIN(&ctl->arena, path, STR("/"), str_from(id), STR("/script"));
	code = ctl_ask_row(ctl, &request, &script_record, &shown);
	return code == CTL_DONE ? print(ctl, &shown) : code;
}

/* ---- review ---- */

static struct str read_decision(struct str word)
{
	static const struct {
		const char *word;
		const char *status;
	} decisions[] = {{"approve", "APPROVED"},
			 {"request-changes", "CHANGES_REQUESTED"},
			 {"reject", "REJECTED"}};

	for (size_t i = 0; i < array_length(decisions); i++)
		if (str_equal(word, str_from(decisions[i].word)))
			return str_from(decisions[i].status);
	return (struct str){0};
}

/* Appends the options --comment TEXT [--line N], in their order, as a JSON array; nothing if there
 * are none. */
static enum ctl_exit write_comments(const struct ctl *ctl, struct buffer *json)
{
	bool takes_line = false;

	for (unsigned i = 0; i < ctl->options.given_count; i++) {
		const struct option_given *given = &ctl->options.given[i];
		bool is_comment = strcmp(given->option->name, "comment") == 0;

		if (given->option->type != OPTION_LIST)
			continue;
		if (is_comment) {
			buffer_append_str(json, buffer_length(json) ? STR("},{") : STR("[{"));
			buffer_append_str(json, STR("\"comment\":"));
			json_write_str(json, str_from(given->value));
		} else if (takes_line) {
			buffer_printf(json, ",\"line\":%lld", strtoll(given->value, NULL, 10));
		} else {
			return ctl_fail(CTL_USAGE, "--line must follow a --comment, once for each");
		}
		takes_line = is_comment;
	}
	if (buffer_length(json))
		buffer_append_str(json, STR("}]"));
	return CTL_DONE;
}

/* Returns none instead of a missing text if the text is needed: a version that is not approved must
 * have a text to show. */
static struct str or_none(struct str text, bool is_needed, struct str none)
{
	return !text.data && is_needed ? none : text;
}

/* Returns the reviewer's name. Over --server the default is left out: the server uses the account's
 * name. */
static struct str author_of(const struct ctl *ctl)
{
	const struct option_given *given = options_find_given(&ctl->options, "author");

	if (ctl->remote && given && given->source == OPTION_DEFAULT)
		return (struct str){0};
	return ctl_value(ctl, "author");
}

static enum ctl_exit write_review(struct ctl *ctl, struct str status, struct str *ret_body)
{
	bool is_rejected = str_equal(status, STR("REJECTED"));
	struct buffer json = {0};
	struct str comments = {0}, reason = ctl_value(ctl, "reason");
	enum ctl_exit code;

	if (!status.data)
		return ctl_fail(CTL_USAGE,
				"%.*s is not a decision; use approve, request-changes or reject",
				STR_ARG(ctl->positionals[2]));
	if (reason.data && !is_rejected)
		return ctl_fail(CTL_USAGE, "--reason needs the decision reject");
	code = write_comments(ctl, &json);
	if (buffer_length(&json))
		comments = arena_copy(&ctl->arena, buffer_view(&json));
	buffer_finish(&json);
	*ret_body = ctl_body(
	    ctl,
	    (const struct ctl_member[]){
		{.name = "status", .value = status},
		{.name = "summary",
		 .value = or_none(ctl_value(ctl, "summary"),
				  str_equal(status, STR("CHANGES_REQUESTED")) && !comments.data,
				  STR("no summary given"))},
		{.name = "reason", .value = or_none(reason, is_rejected, STR("no reason given"))},
		{.name = "author", .value = author_of(ctl)},
		{.name = "comments", .value = comments, .is_json = true},
		{0}});
	return code;
}

/* Finds a version among those that await review, for --server. */
static enum ctl_exit find_awaiting(struct ctl *ctl, struct str missing, struct id *ret_id)
{
	struct str slug = ctl_lower(ctl, ctl->positionals[0]), version = ctl->positionals[1];
	const struct review_entry *entries;
	struct ctl_rows rows;
	unsigned count = 0;
	enum ctl_exit code = ctl_ask_rows(ctl, &(struct ctl_request){.path = STR("/web/reviews")},
					  &review_entry_record, &rows);

	entries = rows.rows;
	for (unsigned i = 0; code == CTL_DONE && i < rows.count; i++) {
		if (!str_equal(entries[i].slug, slug) || !str_equal(entries[i].version, version))
			continue;
		*ret_id = entries[i].id;
		count++;
	}
	if (count > 1)
		return ctl_fail(CTL_REFUSED,
				"several apps are called %.*s; review this one in the pages",
				STR_ARG(slug));
	if (code == CTL_DONE && count == 0)
		return ctl_fail(CTL_NOT_FOUND, "%.*s that awaits review", STR_ARG(missing));
	return code;
}

static enum ctl_exit review(struct ctl *ctl, struct str status)
{
	struct str version = ctl->positionals[1], path;
	struct str missing = ARENA_JOIN(&ctl->arena, STR("there is no version "), version,
					STR(" of an app "), ctl->positionals[0]);
	struct ctl_request request = {.method = "POST"};
	struct app_version found = {0};
	enum ctl_exit code = write_review(ctl, status, &request.body);

	if (code == CTL_DONE)
		code = ctl->remote ? find_awaiting(ctl, missing, &found.id)
				   : find_version(ctl, missing, missing, &found, &path);
	if (code != CTL_DONE)
		return code;
	request.path = ctl_path(ctl, "/web/reviews/", found.id, "");
	return ctl_show(ctl, &request, &review_done_record);
}

enum ctl_exit ctl_app_review(struct ctl *ctl)
{
	return review(ctl, read_decision(ctl->positionals[2]));
}

enum ctl_exit ctl_version_approve(struct ctl *ctl)
{
	return review(ctl, STR("APPROVED"));
}
