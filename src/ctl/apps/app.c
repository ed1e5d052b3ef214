#include "base/memory.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "domain/studio.h"

enum ctl_exit ctl_app_create(struct ctl *ctl)
{
	struct str slug = ctl_value(ctl, "slug");
	struct ctl_request request = {
	    .method = "POST", .path = STR("/web/studio"), .account = ctl_value(ctl, "account")};
	struct own_app app = {0};
	enum ctl_exit code;

	request.body = ctl_body(
	    ctl, (const struct ctl_member[]){{"name", ctl_value(ctl, "name")},
					     {"slug", slug},
					     {"description", ctl_value(ctl, "description")},
					     {"visibility", ctl_value(ctl, "visibility")},
					     {0}});
	request.sentences[0] = (struct ctl_sentence){
	    409, "there is an app with this slug",
	    ARENA_JOIN(&ctl->arena, STR("there is an app "), slug, STR(" already"))};
	code = ctl_ask_row(ctl, &request, &own_app_record, &app);
	return code == CTL_DONE ? ctl_print_row(ctl, &own_app_record, &app) : code;
}

enum ctl_exit ctl_app_list(struct ctl *ctl)
{
	struct ctl_request request = {.path = ctl_value(ctl, "broken").data
						  ? STR("/web/admin/apps?broken=true")
						  : STR("/web/admin/apps"),
				      .account = ctl_value(ctl, "account")};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_ask_rows(ctl, &request, &own_app_record, &rows);

	return code == CTL_DONE ? ctl_print_rows(ctl, &own_app_record, &rows) : code;
}

static enum ctl_exit fail_app(struct ctl *ctl)
{
	return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s", STR_ARG(ctl->positionals[0]));
}

static enum ctl_exit set_disabled(struct ctl *ctl, bool is_disabled)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_app_enable(
	    ctl_new_query(ctl),
	    &(struct app_enable_parameters){.app = ctl->positionals[0], .is_disabled = is_disabled},
	    NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_APP_WITHOUT_OWNER)
		return ctl_fail(CTL_REFUSED, "the owner of %.*s is gone: it stays disabled",
				STR_ARG(ctl->positionals[0]));
	return rows.count ? ctl_print_row(ctl, &own_app_record, rows.rows) : fail_app(ctl);
}

enum ctl_exit ctl_app_disable(struct ctl *ctl)
{
	return set_disabled(ctl, true);
}

enum ctl_exit ctl_app_enable(struct ctl *ctl)
{
	return set_disabled(ctl, false);
}

/* ---- review ---- */

struct remarks {
	struct str status;
	struct str summary;
	struct str reason;
	struct str author;
	struct str comments[CTL_COMMENTS_MAX];
	int64_t lines[CTL_COMMENTS_MAX]; /* 0: none */
	unsigned comment_count;
};

static bool read_decision(struct str word, struct str *ret_status)
{
	static const struct {
		const char *word;
		const char *status;
	} decisions[] = {{"approve", "APPROVED"},
			 {"request-changes", "CHANGES_REQUESTED"},
			 {"reject", "REJECTED"}};

	for (size_t i = 0; i < array_length(decisions); i++) {
		if (str_equal(word, str_from(decisions[i].word))) {
			*ret_status = str_from(decisions[i].status);
			return true;
		}
	}
	return false;
}

/* --comment TEXT [--line N], in their order. */
static enum ctl_exit read_comments(const struct ctl *ctl, struct remarks *review)
{
	for (unsigned i = 0; i < ctl->options.given_count; i++) {
		const struct option_given *given = &ctl->options.given[i];

		if (given->option->type != OPTION_LIST)
			continue;
		if (strcmp(given->option->name, "comment") == 0) {
			review->comments[review->comment_count++] = str_from(given->value);
			continue;
		}
		if (review->comment_count == 0 || review->lines[review->comment_count - 1])
			return ctl_fail(CTL_USAGE, "--line belongs behind a --comment, once");
		review->lines[review->comment_count - 1] = strtoll(given->value, NULL, 10);
	}
	return CTL_DONE;
}

static enum ctl_exit read_review(const struct ctl *ctl, struct remarks *ret)
{
	*ret = (struct remarks){.summary = ctl_value(ctl, "summary"),
				.reason = ctl_value(ctl, "reason"),
				.author = ctl_value(ctl, "author")};
	if (!read_decision(ctl->positionals[2], &ret->status))
		return ctl_fail(CTL_USAGE,
				"%.*s is no decision: approve, request-changes or reject",
				STR_ARG(ctl->positionals[2]));
	if (ret->reason.data && !str_equal(ret->status, STR("REJECTED")))
		return ctl_fail(CTL_USAGE, "--reason goes with reject");
	return read_comments(ctl, ret);
}

static enum ctl_exit find_version(struct ctl *ctl, struct id *ret_id)
{
	struct str app = ctl->positionals[0], version = ctl->positionals[1];
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_app_version_find(
	    ctl_new_query(ctl),
	    &(struct app_version_find_parameters){.app = app, .version = version}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no version %.*s of an app %.*s",
				STR_ARG(version), STR_ARG(app));
	*ret_id = ((const struct app_version_find_row *)rows.rows)->id;
	return CTL_DONE;
}

/* The hint is lost if this fails; the version is published all the same. */
static enum ctl_exit tell_and_print(struct ctl *ctl, const struct review_done *done)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_app_tell(ctl_new_query(ctl),
			   &(struct app_tell_parameters){
			       .id = done->app_id,
			       .generation = done->generation,
			   },
			   NULL);
	code = ctl_query(ctl, &rows);
	return code == CTL_DONE ? ctl_print_row(ctl, &review_done_record, done) : code;
}

static enum ctl_exit store_review(struct ctl *ctl, const struct remarks *review,
				  struct id version_id)
{
	const struct review_done *done;
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_app_version_review(ctl_new_query(ctl),
				     &(struct app_version_review_parameters){
					 .id = version_id,
					 .author = review->author,
					 .status = review->status,
					 .summary = review->summary,
					 .reason = review->reason,
					 .comments = {review->comments, review->comment_count},
					 .lines = {review->lines, review->comment_count},
				     },
				     NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "the version is gone");
	done = rows.rows;
	if (done->is_broken)
		return ctl_fail(CTL_REFUSED,
				"version %.*s does not compile, so it cannot be approved",
				STR_ARG(done->version));
	if (!done->is_reviewed)
		return ctl_fail(CTL_REFUSED, "version %.*s awaits no review: it is %.*s",
				STR_ARG(done->version), STR_ARG(done->status));
	return tell_and_print(ctl, done);
}

enum ctl_exit ctl_app_review(struct ctl *ctl)
{
	struct remarks *review = arena_zalloc(&ctl->arena, sizeof(*review));
	struct id version_id;
	enum ctl_exit code = read_review(ctl, review);

	if (code == CTL_DONE)
		code = find_version(ctl, &version_id);
	if (code != CTL_DONE)
		return code;
	/* A rejected version always has a reason to show. */
	if (str_equal(review->status, STR("REJECTED")) && !review->reason.data)
		review->reason = STR("no reason given");
	return store_review(ctl, review, version_id);
}
