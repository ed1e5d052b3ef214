#include "base/memory.h"
#include "base/utf8.h"
#include "ctl/ctl.h"

enum {
	APP_NAME_LENGTH_MAX = 100,
	APP_DESCRIPTION_LENGTH_MAX = 500,
	COMMENT_LENGTH_MAX = 4000,
	REVIEW_TEXT_LENGTH_MAX = 4000,
};

struct app_row {
	struct id id;
	struct str slug;
	struct str name;
	struct str description;
	struct str visibility;
	struct str status;
	struct str version;
	int64_t created_at_us;
};

static const struct record_field app_fields[] = {
    RECORD_ID(struct app_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct app_row, slug, .name = "slug", .column = "slug"),
    RECORD_STR(struct app_row, name, .name = "name", .column = "name"),
    RECORD_STR(struct app_row, description, .name = "description", .column = "description"),
    RECORD_STR(struct app_row, visibility, .name = "visibility", .column = "visibility"),
    RECORD_STR(struct app_row, status, .name = "status", .column = "status"),
    RECORD_STR(struct app_row, version, .name = "version", .column = "version", .nullable = true),
    RECORD_TIMESTAMP(struct app_row, created_at_us, .name = "createdAt", .column = "created_at"),
};
static const struct record app_record = RECORD(app_fields);

/* Letters, digits and dashes inside; nothing that could be taken for an ID. */
static const char *check_slug(struct str slug)
{
	struct id id;

	if (slug.length < 1 || slug.length > 64 || slug.data[0] == '-' ||
	    slug.data[slug.length - 1] == '-')
		return "must have 1 to 64 lower-case letters, digits and inner dashes";
	for (size_t i = 0; i < slug.length; i++) {
		char c = slug.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return "must have 1 to 64 lower-case letters, digits and inner dashes";
	}
	return id_parse(slug, &id) ? "must not look like an ID" : NULL;
}

static const char *check_text(struct str text, size_t length_max)
{
	struct str rest = text;

	if (!utf8_is_valid(text))
		return "must be UTF-8";
	if (utf8_length(text) > length_max)
		return "is too long";
	while (rest.length) {
		uint32_t c = utf8_next(&rest);

		if (utf8_is_control(c) && c != '\n' && c != '\t')
			return "must not contain control characters";
	}
	return NULL;
}

static enum ctl_exit check_new_app(struct ctl *ctl, struct str description, struct str visibility)
{
	const char *fault = ctl_check_email(ctl_value(ctl, "account"));

	if (fault)
		return ctl_fail(CTL_USAGE, "--account %s", fault);
	fault = ctl_check_name(ctl_value(ctl, "name"), APP_NAME_LENGTH_MAX);
	if (fault)
		return ctl_fail(CTL_USAGE, "--name %s", fault);
	fault = check_slug(ctl_value(ctl, "slug"));
	if (fault)
		return ctl_fail(CTL_USAGE, "--slug %s", fault);
	fault = check_text(description, APP_DESCRIPTION_LENGTH_MAX);
	if (fault)
		return ctl_fail(CTL_USAGE, "--description %s", fault);
	if (!str_equal(visibility, STR("private")) && !str_equal(visibility, STR("public")) &&
	    !str_equal(visibility, STR("legacy")))
		return ctl_fail(CTL_USAGE, "--visibility must be private, public or legacy");
	return CTL_DONE;
}

enum ctl_exit ctl_app_create(struct ctl *ctl)
{
	struct str description = ctl_value(ctl, "description");
	struct str visibility = ctl_value(ctl, "visibility");
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code;

	if (!description.data)
		description = STR("");
	if (!visibility.data)
		visibility = STR("private");
	code = check_new_app(ctl, description, visibility);
	if (code == CTL_DONE)
		code = ctl_connect(ctl);
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_id(&parameters, id_new());
	db_add_text(&parameters, ctl_value(ctl, "account"));
	db_add_text(&parameters, ctl_value(ctl, "name"));
	db_add_text(&parameters, ctl_value(ctl, "slug"));
	db_add_text(&parameters, description);
	db_add_text(&parameters, visibility);
	code = ctl_query(ctl, STATEMENT_APP_CREATE, &parameters, &app_record,
			 sizeof(struct app_row), &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_SLUG_TAKEN)
		return ctl_fail(CTL_REFUSED, "there is an app %.*s already",
				STR_ARG(ctl_value(ctl, "slug")));
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no account %.*s",
				STR_ARG(ctl_value(ctl, "account")));
	return ctl_print_row(ctl, &app_record, rows.rows);
}

enum ctl_exit ctl_app_list(struct ctl *ctl)
{
	struct str account = ctl_value(ctl, "account");
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_connect(ctl);

	if (code == CTL_DONE && account.data)
		code = ctl_find_account(ctl, account);
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	if (account.data)
		db_add_text(&parameters, account);
	else
		db_add_null(&parameters);
	code = ctl_query(ctl, STATEMENT_APP_LIST_ALL, &parameters, &app_record,
			 sizeof(struct app_row), &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_rows(ctl, &app_record, rows.rows, sizeof(struct app_row), rows.count);
}

static enum ctl_exit fail_app(struct ctl *ctl)
{
	return ctl_fail(CTL_NOT_FOUND, "there is no app %.*s", STR_ARG(ctl->positionals[0]));
}

static enum ctl_exit set_disabled(struct ctl *ctl, bool is_disabled)
{
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_connect(ctl);

	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_text(&parameters, ctl->positionals[0]);
	db_add_bool(&parameters, is_disabled);
	code = ctl_query(ctl, STATEMENT_APP_ENABLE, &parameters, &app_record,
			 sizeof(struct app_row), &rows);
	if (code != CTL_DONE)
		return code;
	return rows.count ? ctl_print_row(ctl, &app_record, rows.rows) : fail_app(ctl);
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

struct review {
	struct str status;
	struct str summary;
	struct str reason;
	struct str author;
	struct str comments[CTL_COMMENTS_MAX];
	int64_t lines[CTL_COMMENTS_MAX]; /* 0: none */
	unsigned comment_count;
};

struct review_row {
	struct id id;
	struct str version;
	struct str status;
	bool is_reviewed;
	int64_t reviewed_at_us;
};

static const struct record_field review_fields[] = {
    RECORD_ID(struct review_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct review_row, version, .name = "version", .column = "version"),
    RECORD_STR(struct review_row, status, .name = "status", .column = "status"),
    RECORD_BOOL(struct review_row, is_reviewed, .column = "is_reviewed"),
    RECORD_TIMESTAMP(struct review_row, reviewed_at_us, .name = "reviewedAt",
		     .column = "reviewed_at", .nullable = true),
};
static const struct record review_record = RECORD(review_fields);

/* NULL, also where none was given, or what is wrong with it. */
static const char *check_remark(struct str text, size_t length_max)
{
	if (text.data && text.length == 0)
		return "must not be empty";
	return check_text(text, length_max);
}

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
static enum ctl_exit read_comments(const struct ctl *ctl, struct review *review)
{
	for (unsigned i = 0; i < ctl->options.given_count; i++) {
		const struct option_given *given = &ctl->options.given[i];
		struct str value = str_from(given->value);
		unsigned long long line;
		const char *fault;

		if (given->option->type != OPTION_LIST)
			continue;
		if (strcmp(given->option->name, "comment") == 0) {
			fault = check_remark(value, COMMENT_LENGTH_MAX);
			if (fault)
				return ctl_fail(CTL_USAGE, "--comment %s", fault);
			review->comments[review->comment_count++] = value;
			continue;
		}
		if (review->comment_count == 0 || review->lines[review->comment_count - 1])
			return ctl_fail(CTL_USAGE, "--line belongs behind a --comment, once");
		if (!str_to_uint64(value, INT32_MAX, &line) || line == 0)
			return ctl_fail(CTL_USAGE, "--line must be a number from 1");
		review->lines[review->comment_count - 1] = (int64_t)line;
	}
	return CTL_DONE;
}

static enum ctl_exit read_review(const struct ctl *ctl, struct review *ret)
{
	const char *fault;

	*ret = (struct review){.summary = ctl_value(ctl, "summary"),
			       .reason = ctl_value(ctl, "reason"),
			       .author = ctl_value(ctl, "author")};
	if (!ret->author.data)
		ret->author = STR("reviewer");
	if (!read_decision(ctl->positionals[2], &ret->status))
		return ctl_fail(CTL_USAGE,
				"%.*s is no decision: approve, request-changes or reject",
				STR_ARG(ctl->positionals[2]));
	if (ret->reason.data && !str_equal(ret->status, STR("REJECTED")))
		return ctl_fail(CTL_USAGE, "--reason goes with reject");
	fault = ctl_check_name(ret->author, APP_NAME_LENGTH_MAX);
	if (fault)
		return ctl_fail(CTL_USAGE, "--author %s", fault);
	fault = check_remark(ret->summary, REVIEW_TEXT_LENGTH_MAX);
	if (fault)
		return ctl_fail(CTL_USAGE, "--summary %s", fault);
	fault = check_remark(ret->reason, REVIEW_TEXT_LENGTH_MAX);
	if (fault)
		return ctl_fail(CTL_USAGE, "--reason %s", fault);
	return read_comments(ctl, ret);
}

static void add_text_or_null(struct db_parameters *parameters, struct str text)
{
	if (text.data)
		db_add_text(parameters, text);
	else
		db_add_null(parameters);
}

enum ctl_exit ctl_app_review(struct ctl *ctl)
{
	struct review *review = arena_zalloc(&ctl->arena, sizeof(*review));
	struct db_parameters parameters;
	const struct review_row *row;
	struct ctl_rows rows;
	enum ctl_exit code = read_review(ctl, review);

	if (code == CTL_DONE)
		code = ctl_connect(ctl);
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_text(&parameters, ctl->positionals[0]);
	db_add_text(&parameters, ctl->positionals[1]);
	db_add_text(&parameters, review->status);
	add_text_or_null(&parameters, review->summary);
	/* A rejected version always has a reason to show. */
	if (str_equal(review->status, STR("REJECTED")) && !review->reason.data)
		review->reason = STR("no reason given");
	add_text_or_null(&parameters, review->reason);
	db_add_text(&parameters, review->author);
	db_add_text_array(&parameters, review->comments, review->comment_count);
	db_add_int8_array(&parameters, review->lines, review->comment_count);
	code =
	    ctl_query(ctl, STATEMENT_APP_REVIEW, &parameters, &review_record, sizeof(*row), &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no version %.*s of an app %.*s",
				STR_ARG(ctl->positionals[1]), STR_ARG(ctl->positionals[0]));
	row = rows.rows;
	if (!row->is_reviewed)
		return ctl_fail(CTL_REFUSED, "version %.*s awaits no review: it is %.*s",
				STR_ARG(row->version), STR_ARG(row->status));
	return ctl_print_row(ctl, &review_record, row);
}
