#include "domain/review.h"
#include "domain/device.h"
#include "domain/person.h"
#include "domain/studio.h"

#include <text/utf8.h>

/* ---- the body of a decision ---- */

const char *review_remark_check(struct str remark)
{
	bool has_visible = false;

	const char *fault = app_text_check(remark);

	while (!fault && remark.length) {
		uint32_t c = utf8_next(&remark);

		has_visible |= !utf8_is_space(c) && c != '\n' && c != '\t';
	}
	return fault || has_visible ? fault : "must have a character that is not white space";
}

const char *review_status_check(struct str status)
{
	return str_equal(status, STR("APPROVED")) || str_equal(status, STR("REJECTED")) ||
		       str_equal(status, STR("CHANGES_REQUESTED"))
		   ? NULL
		   : "must be APPROVED, CHANGES_REQUESTED or REJECTED";
}

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
	struct review_remark remark = {0};
	struct faults own;
	uint64_t present;
	unsigned number = decision->comment_count + 1;

	faults_init(&own, faults->arena);
	if (json_is_object(item))
		record_read_json(&review_remark_record, item, &remark, &present, &own);
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
void review_decision_check(void *body, uint64_t seen, struct faults *faults)
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
