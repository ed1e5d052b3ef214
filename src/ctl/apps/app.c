#include "app_named.h"
#include "base/memory.h"
#include "ctl/server/remote.h"
#include "domain/studio.h"

#include <stdlib.h>

enum ctl_exit ctl_app_create(struct ctl *ctl)
{
	struct str slug = ctl_value(ctl, "slug");
	struct ctl_request request = {
	    .method = "POST", .path = STR("/web/studio"), .account = ctl_value(ctl, "account")};

	request.body = ctl_body_of_options(ctl, NULL);
	request.sentences[0] = (struct ctl_sentence){
	    409, "there is an app with this slug",
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

static enum ctl_exit allow(struct ctl *ctl, const char *verb)
{
	struct ctl_request request = {.method = "POST"};
	enum ctl_exit code = ctl_name_app(ctl, "/web/admin", verb, ctl_no_app(ctl), &request);

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
				   : ctl_find_version(ctl, missing, missing, &found, &path);
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
