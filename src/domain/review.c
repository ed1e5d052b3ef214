#include "domain/review.h"
#include "domain/device.h"
#include "domain/person.h"
#include "domain/studio.h"

#include <text/utf8.h>

static const struct record_field review_entry_fields[] = {
    RECORD_ID(struct review_entry, id, .name = "id", .column = "id"),
    RECORD_STR(struct review_entry, version, .name = "version", .column = "version"),
    RECORD_STR(struct review_entry, script_language, .name = "scriptLanguage",
	       .column = "script_language"),
    RECORD_STR(struct review_entry, slug, .name = "slug", .column = "slug"),
    RECORD_STR(struct review_entry, app_name, .name = "appName", .column = "app_name"),
    RECORD_STR(struct review_entry, author, .name = "author", .column = "author"),
    RECORD_STR(struct review_entry, deployed_version, .name = "deployedVersion",
	       .column = "deployed_version", .nullable = true),
    RECORD_BOOL(struct review_entry, is_own, .name = "isOwn", .column = "is_own"),
    RECORD_TIMESTAMP(struct review_entry, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_INT8(struct review_entry, sequence, .column = "sequence"),
};
const struct record review_entry_record = RECORD(struct review_entry, review_entry_fields);

static const struct record_field review_fields[] = {
    RECORD_ID(struct review, id, .name = "id", .column = "id"),
    RECORD_STR(struct review, version, .name = "version", .column = "version"),
    RECORD_STR(struct review, script_language, .name = "scriptLanguage",
	       .column = "script_language"),
    RECORD_STR(struct review, slug, .name = "slug", .column = "slug"),
    RECORD_STR(struct review, app_name, .name = "appName", .column = "app_name"),
    RECORD_STR(struct review, description, .name = "description", .column = "description"),
    RECORD_STR(struct review, author, .name = "author", .column = "author"),
    RECORD_STR(struct review, deployed_version, .name = "deployedVersion",
	       .column = "deployed_version", .nullable = true),
    RECORD_BOOL(struct review, is_own, .name = "isOwn", .column = "is_own"),
    RECORD_BOOL(struct review, may_review, .name = "mayReview", .column = "may_review"),
    RECORD_STR(struct review, checksum, .name = "checksum", .column = "checksum"),
    RECORD_STR(struct review, status, .name = "status", .column = "status"),
    RECORD_TIMESTAMP(struct review, reviewed_at_us, .name = "reviewedAt", .column = "reviewed_at",
		     .nullable = true),
    RECORD_STR(struct review, rejection_reason, .name = "rejectionReason",
	       .column = "rejection_reason", .nullable = true),
    RECORD_STR(struct review, review_summary, .name = "reviewSummary", .column = "review_summary",
	       .nullable = true),
    RECORD_JSON(struct review, review_comments, .name = "reviewComments",
		.column = "review_comments"),
    RECORD_TIMESTAMP(struct review, created_at_us, .name = "createdAt", .column = "created_at"),
    RECORD_JSON(struct review, verdict, .name = "check", .column = "verdict"),
};
const struct record review_record = RECORD(struct review, review_fields);

static const struct record_field review_scripts_fields[] = {
    RECORD_STR(struct review_scripts, script_language, .name = "scriptLanguage",
	       .column = "script_language"),
    RECORD_STR(struct review_scripts, script_content, .name = "scriptContent",
	       .column = "script_content"),
    RECORD_STR(struct review_scripts, deployed_version, .name = "deployedVersion",
	       .column = "deployed_version", .nullable = true),
    RECORD_STR(struct review_scripts, deployed_content, .name = "deployedContent",
	       .column = "deployed_content", .nullable = true),
};
const struct record review_scripts_record = RECORD(struct review_scripts, review_scripts_fields);

static const struct record_field review_done_fields[] = {
    RECORD_ID(struct review_done, id, .name = "id", .column = "id"),
    RECORD_ID(struct review_done, app_id, .column = "app_id"),
    RECORD_ID(struct review_done, account_id, .column = "account_id", .nullable = true),
    RECORD_STR(struct review_done, slug, .column = "slug"),
    RECORD_STR(struct review_done, version, .name = "version", .column = "version"),
    RECORD_STR(struct review_done, status, .name = "status", .column = "status"),
    RECORD_BOOL(struct review_done, is_reviewed, .column = "is_reviewed"),
    RECORD_BOOL(struct review_done, is_own, .column = "is_own"),
    RECORD_BOOL(struct review_done, is_broken, .column = "is_broken"),
    RECORD_BOOL(struct review_done, is_unchecked, .column = "is_unchecked"),
    RECORD_STR(struct review_done, script_language, .column = "script_language"),
    RECORD_STR(struct review_done, fault, .column = "fault", .nullable = true),
    RECORD_TIMESTAMP(struct review_done, reviewed_at_us, .name = "reviewedAt",
		     .column = "reviewed_at", .nullable = true),
    RECORD_INT8(struct review_done, generation, .column = "generation"),
};
const struct record review_done_record = RECORD(struct review_done, review_done_fields);

/* ---- the body of a decision ---- */

static const char *remark_check(struct str remark)
{
	bool has_visible = false;

	const char *fault = app_text_check(remark);

	while (!fault && remark.length) {
		uint32_t c = utf8_next(&remark);

		has_visible |= !utf8_is_space(c) && c != '\n' && c != '\t';
	}
	return fault || has_visible ? fault : "must have a character that is not white space";
}

static const char *status_check(struct str status)
{
	return str_equal(status, STR("APPROVED")) || str_equal(status, STR("REJECTED")) ||
		       str_equal(status, STR("CHANGES_REQUESTED"))
		   ? NULL
		   : "must be APPROVED, CHANGES_REQUESTED or REJECTED";
}

struct remark {
	struct str comment;
	int64_t line;
};

static const struct record_field remark_fields[] = {
    RECORD_STR(struct remark, comment, .body = "comment", .required = true, .minimum = 1,
	       .maximum = REVIEW_REMARK_LENGTH_MAX, .check = remark_check),
    RECORD_INT(struct remark, line, .body = "line", .minimum = 1, .maximum = INT32_MAX),
};
static const struct record remark_record = RECORD(struct remark, remark_fields);

static void fault_remark(struct faults *faults, unsigned number, const struct fault *fault)
{
	struct str name = fault ? fault->name : (struct str){0};

	faults_add(faults, STR("comments"), "number %u: %.*s%s%.*s", number, STR_ARG(name),
		   name.length ? " " : "",
		   STR_ARG(fault ? fault->detail : STR("must be an object")));
}

static void read_remark(struct review_decision *decision, const struct json_value *item,
			struct faults *faults)
{
	struct remark remark = {0};
	struct faults own;
	uint64_t present;
	unsigned number = decision->comment_count + 1;

	faults_init(&own, faults->arena);
	if (json_is_object(item))
		record_read_json(&remark_record, item, &remark, &present, &own);
	else
		fault_remark(faults, number, NULL);
	for (unsigned i = 0; i < own.count; i++)
		fault_remark(faults, number, &own.list[i]);
	decision->texts[decision->comment_count] = remark.comment;
	decision->lines[decision->comment_count++] = remark.line;
}

static void read_remarks(struct review_decision *decision, struct faults *faults)
{
	unsigned count;

	if (!json_get_array(decision->comments, &count) || count > REVIEW_COMMENTS_MAX) {
		faults_add(faults, STR("comments"), "must be an array of at most %d comments",
			   REVIEW_COMMENTS_MAX);
		return;
	}
	decision->texts = arena_alloc(faults->arena, (count + 1) * sizeof(*decision->texts));
	decision->lines = arena_alloc(faults->arena, (count + 1) * sizeof(*decision->lines));
	for (unsigned i = 0; i < count; i++)
		read_remark(decision, json_array_item(decision->comments, i), faults);
}

/* Requires that the decision tells the author enough to act on. */
static void decision_check(void *body, uint64_t seen, struct faults *faults)
{
	struct review_decision *decision = body;

	(void)seen;
	if (decision->comments)
		read_remarks(decision, faults);
	if (faults->count)
		return;
	if (str_equal(decision->status, STR("REJECTED")) != (decision->reason.data != NULL))
		faults_add(faults, STR("reason"),
			   decision->reason.data ? "is allowed with REJECTED only"
						 : "is required: say why it is rejected");
	if (str_equal(decision->status, STR("CHANGES_REQUESTED")) && !decision->summary.data &&
	    decision->comment_count == 0)
		faults_add(faults, STR("summary"),
			   "is required if there are no comments: say what to change");
}

static const struct record_field review_decision_fields[] = {
    RECORD_STR(struct review_decision, status, .body = "status", .required = true,
	       .check = status_check),
    RECORD_STR(struct review_decision, summary, .body = "summary", .minimum = 1,
	       .maximum = REVIEW_REMARK_LENGTH_MAX, .check = remark_check),
    RECORD_STR(struct review_decision, reason, .body = "reason", .minimum = 1,
	       .maximum = REVIEW_REMARK_LENGTH_MAX, .check = remark_check),
    RECORD_STR(struct review_decision, author, .body = "author", .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_ANY(struct review_decision, comments, .body = "comments"),
};
const struct record review_decision_record =
    RECORD(struct review_decision, review_decision_fields, .check = decision_check);
