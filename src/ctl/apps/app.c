/* Apps, their versions and reviews. */
#include "domain/app.h"
#include "base/memory.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/problem.h"
#include "ctl/server/remote.h"
#include "domain/studio.h"

#include <stdlib.h>
#include <text/utf8.h>
#include <unistd.h>

/* Over --server, lists the apps that the account of the API key can install. */
enum ctl_exit ctl_app_list(struct ctl *ctl)
{
	struct str query = ctl_value(ctl, "broken").data ? STR("?broken=true") : STR("");
	const struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, ctl->remote ? STR("/v1/apps") : STR("/web/admin/apps"),
			       query),
	    .account = ctl_value(ctl, "account")};

	return ctl_show(ctl, &request);
}

static struct str no_app(struct ctl *ctl)
{
	return ARENA_JOIN(&ctl->arena, STR("there is no app "), ctl->positionals[0]);
}

enum ctl_exit ctl_name_app(struct ctl *ctl, const char *root, struct str app, struct str rest,
			   struct str missing, struct ctl_request *request)
{
	if (!utf8_is_valid(app))
		return ctl_fail(CTL_USAGE, "the name of the app must be UTF-8");
	if (!ctl_is_segment(app))
		return ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(missing));
	request->path = ARENA_JOIN(&ctl->arena, str_from(root), STR("/apps/"),
				   ctl_encode(ctl, ctl_lower(ctl, app)), rest);
	request->sentences[0] = (struct ctl_sentence){404, NULL, missing};
	return CTL_DONE;
}

enum ctl_exit ctl_app_show(struct ctl *ctl)
{
	struct ctl_request request = {0};
	enum ctl_exit code = ctl_name_app(ctl, ctl->remote ? "/v1" : "/web/admin",
					  ctl->positionals[0], STR(""), no_app(ctl), &request);

	return code == CTL_DONE ? ctl_show(ctl, &request) : code;
}

/* Finds an app of any account, for administrators. */
static enum ctl_exit find_app(struct ctl *ctl, struct str missing, struct ctl_found *ret_found)
{
	struct ctl_request request = {0};
	enum ctl_exit code =
	    ctl_name_app(ctl, "/web/admin", ctl->positionals[0], STR(""), missing, &request);

	if (code == CTL_DONE)
		code = ctl_ask_json(ctl, &request, &ret_found->json);
	if (code == CTL_DONE)
		ret_found->id = ret_found->segment = ctl_json_text(ctl, ret_found->json, "id");
	return code == CTL_DONE && !ret_found->id.data ? problem_fail_version() : code;
}

enum ctl_exit ctl_find_app(struct ctl *ctl, struct ctl_found *ret_found)
{
	return find_app(ctl, no_app(ctl), ret_found);
}

/* ---- version list, version show ---- */

/* Finds an app among the account's own, for a session. */
static enum ctl_exit find_own(struct ctl *ctl, struct str missing, struct ctl_found *ret_found)
{
	const struct ctl_request request = {.path = STR("/web/studio")};
	struct str name = ctl_lower(ctl, ctl->positionals[0]), apps = {0};
	enum ctl_exit code = ctl_ask_json(ctl, &request, &apps);
	struct id id;

	if (code != CTL_DONE)
		return code;
	ret_found->json = ctl_json_find(ctl, apps, NULL, id_parse(name, &id) ? "id" : "slug", name);
	if (!ret_found->json.data)
		return ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(missing));
	ret_found->id = ctl_json_text(ctl, ret_found->json, "id");
	return CTL_DONE;
}

/* Finds the path of the app's versions, of which an API key sees those of private apps. */
static enum ctl_exit name_versions(struct ctl *ctl, struct str missing, struct ctl_request *request)
{
	struct ctl_found app = {0};
	enum ctl_exit code;

	if (remote_has_key_only(ctl))
		return ctl_name_app(ctl, "/v1", ctl->positionals[0], STR("/versions"), missing,
				    request);
	code = ctl->remote ? find_own(ctl, missing, &app) : find_app(ctl, missing, &app);
	request->path = ARENA_JOIN(&ctl->arena, STR("/web/studio/"), app.id, STR("/versions"));
	return code;
}

enum ctl_exit ctl_version_list(struct ctl *ctl)
{
	struct ctl_request request = {0};
	enum ctl_exit code = name_versions(ctl, no_app(ctl), &request);

	return code == CTL_DONE ? ctl_show(ctl, &request) : code;
}

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

/* Prints the version and its script; with --script only the script, for redirecting to a file.
 * version: an object; script: another one, whose member scriptContent it is. */
static enum ctl_exit print(struct ctl *ctl, struct str version, struct str script)
{
	bool is_alone = ctl_value(ctl, "script").data;
	struct buffer text = {0};
	enum ctl_exit code = CTL_DONE;
	struct str content = ctl_json_text(ctl, script, "scriptContent");

	if (ctl->json)
		return ctl_print_json(
		    ctl,
		    ctl_json_with(ctl, version, CTL_MEMBERS(ctl_text("scriptContent", content))));
	if (!is_alone) {
		code = ctl_print_json(ctl, version);
		buffer_append_char(&text, '\n');
	}
	append_script(content, &text);
	if (code == CTL_DONE)
		code = ctl_print(&text);
	buffer_finish(&text);
	return code;
}

/* Finds the version that the second argument names. *ret_path: path of the app's versions. */
static enum ctl_exit find_version(struct ctl *ctl, struct str missing, struct str no_version,
				  struct str *ret_version, struct str *ret_path)
{
	struct str name = ctl->positionals[1], versions = {0};
	struct ctl_request request = {0};
	enum ctl_exit code;

	if (!utf8_is_valid(name))
		return ctl_fail(CTL_USAGE, "the name of the version must be UTF-8");
	code = name_versions(ctl, missing, &request);
	*ret_path = request.path;
	if (code == CTL_DONE)
		code = ctl_ask_json(ctl, &request, &versions);
	if (code != CTL_DONE)
		return code;
	*ret_version = ctl_json_find(ctl, versions, NULL, "version", name);
	return ret_version->data ? CTL_DONE : ctl_fail(CTL_NOT_FOUND, "%.*s", STR_ARG(no_version));
}

enum ctl_exit ctl_version_show(struct ctl *ctl)
{
	struct str no_version =
	    ARENA_JOIN(&ctl->arena, STR("the app has no version "), ctl->positionals[1]);
	struct ctl_request request = {.sentences = {{404, NULL, STR("the version is gone")}}};
	struct str version = {0}, script = {0}, path = {0};
	enum ctl_exit code = find_version(ctl, no_app(ctl), no_version, &version, &path);

	if (code != CTL_DONE)
		return code;
	request.path = ARENA_JOIN(&ctl->arena, path, STR("/"), ctl_json_text(ctl, version, "id"),
				  STR("/script"));
	code = ctl_ask_json(ctl, &request, &script);
	return code == CTL_DONE ? print(ctl, version, script) : code;
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
	struct str version = ctl->positionals[1], found = {0}, path;
	struct str missing = ARENA_JOIN(&ctl->arena, STR("there is no version "), version,
					STR(" of an app "), ctl->positionals[0]);
	struct ctl_request request = {.method = "POST"};
	struct id id = {0};
	enum ctl_exit code = write_review(ctl, status, &request.body);

	if (code == CTL_DONE)
		code = ctl->remote ? find_awaiting(ctl, missing, &id)
				   : find_version(ctl, missing, missing, &found, &path);
	if (code == CTL_DONE && !ctl->remote && !id_parse(ctl_json_text(ctl, found, "id"), &id))
		code = problem_fail_version();
	request.path = ctl_path(ctl, "/web/reviews/", id, "");
	return code == CTL_DONE ? ctl_show(ctl, &request) : code;
}

enum ctl_exit ctl_app_review(struct ctl *ctl)
{
	return review(ctl, read_decision(ctl->positionals[2]));
}

enum ctl_exit ctl_version_approve(struct ctl *ctl)
{
	return review(ctl, STR("APPROVED"));
}
