#include "domain/app_import.h"
#include "api/app_work.h"
#include "delivery/delivery.h"
#include "render/verdict.h"
#include "web/access.h"
#include "web/apps/app_answer.h"
#include "web/changed.h"
#include "web/endpoints.h"

#include <text/base64.h>

/* POST /web/admin/collections/{checkoutId}/apps - the operator imports an app of a checkout.
 *
 *   begin -> decode its picture -> find its form, as for a draft -> store all of it -> tell
 *
 * An app without a form is not stored, except if the form needs the network: then the form is made
 * when somebody installs the app. */

#define REVIEW_SUMMARY "Imported from a checkout of the community's apps; nobody has read it."

enum { RETRY_AFTER_S = 1 };

struct importing {
	struct app_import body; /* first: the pre-handler checks read the request into it */
	struct app_work work;
	struct id collection_id;
	struct str tags;  /* JSON */
	uint8_t *picture; /* data of the body's; NULL: none */
	size_t picture_size;
	bool is_bad_picture;
	bool was_refused; /* refused once, because another import stored the same version meanwhile
			   */
	const char *outcome;
	struct app_import_row row;
};

/* ---- the answer ---- */

static void write_answer(void *argument, struct arena *arena, struct buffer *json)
{
	const struct importing *importing = argument;

	(void)arena;
	buffer_printf(json, "{\"outcome\":\"%s\",\"version\":", importing->outcome);
	json_write_str(json, import_version(importing->body.checksum));
	buffer_append_str(json, STR(",\"problem\":"));
	app_write_problem(json, &importing->work.job.answer.problem);
	buffer_append_char(json, '}');
}

static struct step_result app_import_reply(struct task *task, const char *outcome)
{
	struct importing *importing = task_state(task);

	importing->outcome = outcome;
	return task_reply_written(task, 200, importing->work.job.answer.problem.message.length,
				  write_answer, importing);
}

/* ---- storing ---- */

static struct step_result stored(struct task *task)
{
	const struct importing *importing = task_state(task);
	const struct app_import_row *row = &importing->row;

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_SLUG_USED,
				 "there is another app %.*s in the collection",
				 STR_ARG(importing->body.slug));
	delivery_app_changed(web_service_of(task)->api.delivery, row->id, row->generation);
	web_changed(task, (struct id){0}, "apps");
	return app_import_reply(task, row->is_made ? "made" : "updated");
}

static struct step_result store(struct task *task)
{
	struct importing *importing = task_state(task);
	const struct app_import *body = &importing->body;
	const struct str none = STR("");
	const struct engine_answer *loaded = &importing->work.job.answer;
	const struct verdict_facts facts = {
	    .load = loaded->problem,
	    .load_hosts = loaded->hosts,
	    .fields = importing->work.has_form ? (int)importing->work.form.count : -1,
	    .cpu_us = loaded->cpu_us,
	};

	if (body->only_check)
		return app_import_reply(task, "checked");
	statement_app_import(
	    task_new_query(task),
	    &(struct app_import_parameters){
		.id = id_new(),
		.account_id = task_account_id(task),
		.collection_id = importing->collection_id,
		.slug = body->slug,
		.name = body->name,
		.description = body->description.data ? body->description : none,
		.author = body->author,
		.imported_as = body->origin,
		.category = body->category.data ? body->category : none,
		.tags = importing->tags,
		.broken_reason = body->broken_reason,
		.version_id = id_new(),
		.version = import_version(body->checksum),
		.script_language = body->script_language,
		.script_content = body->script_content,
		.checksum = str_from(body->checksum),
		.review_summary = STR(REVIEW_SUMMARY),
		.verdict = verdict_write(&facts, task_arena(task)),
		.picture = {(const char *)importing->picture, importing->picture_size},
	    },
	    &importing->row);
	return task_query(task, stored);
}

static struct step_result refused(struct task *task)
{
	struct importing *importing = task_state(task);

	if (task_constraint_error(task) == CONSTRAINT_TOO_MANY_BYTES)
		return task_fail(task, PROBLEM_BYTES_TOO_MANY, "the account has no room for it");
	if (task_constraint_error(task) != CONSTRAINT_VERSION_NAME_USED || importing->was_refused)
		return web_fail_constraint(task);
	importing->was_refused = true;
	return store(task);
}

/* ---- acceptance ---- */

/* Whether it was not the script's fault, so that another try may succeed. */
static bool is_passing(struct task *task, const struct app_work *work)
{
	enum engine_problem_kind kind = work->job.answer.problem.kind;
	const char *why_not;

	return (kind == ENGINE_LATE || kind == ENGINE_NOT_AVAILABLE) &&
	       engines_has(web_service_of(task)->api.engines, work->job.language, &why_not);
}

static struct step_result judge(struct task *task)
{
	const struct importing *importing = task_state(task);
	const struct app_work *work = &importing->work;

	const struct engine_answer *answer = &work->job.answer;

	if (work->has_form || verdict_wants_network(&answer->problem, answer->hosts))
		return store(task);
	if (is_passing(task, work))
		return task_fail_busy(task, PROBLEM_APP_UNAVAILABLE, RETRY_AFTER_S, "%.*s",
				      STR_ARG(work->job.answer.problem.message));
	return app_import_reply(task, "failed");
}

static struct step_result prepared(struct task *task)
{
	struct importing *importing = task_state(task);
	struct app_work *work = &importing->work;

	if (importing->is_bad_picture)
		return task_fail_field(task, "picture", "must be base64");
	work->is_import = true;
	work->language = importing->body.script_language;
	work->script = importing->body.script_content;
	work->scope = str_from(importing->body.checksum);
	return api_find_form(task, work, judge);
}

/* ---- the request ---- */

static bool decode(void *argument)
{
	struct importing *importing = argument;

	importing->is_bad_picture = base64_decode(importing->body.picture, importing->picture,
						  &importing->picture_size) < 0 ||
				    importing->picture_size == 0;
	return false;
}

static struct str write_tags(struct task *task, const struct app_import *body)
{
	struct buffer json = {0};
	struct str tags;

	buffer_append_char(&json, '[');
	for (unsigned i = 0; i < body->tag_count; i++) {
		if (i > 0)
			buffer_append_char(&json, ',');
		json_write_str(&json, body->tags[i]);
	}
	buffer_append_char(&json, ']');
	tags = arena_copy(task_arena(task), buffer_view(&json));
	buffer_finish(&json);
	return tags;
}

static struct step_result app_import_begin(struct task *task)
{
	struct importing *importing = task_state(task);
	struct str picture = importing->body.picture;

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	if (id_is_none(task_account_id(task)))
		return task_fail(task, PROBLEM_ACCOUNT_NEEDED,
				 "the header Displayd-Account is missing");
	if (!id_parse(task_path_parameter(task, 0), &importing->collection_id))
		return task_fail(task, PROBLEM_COLLECTION_NOT_FOUND, "there is no such collection");
	importing->tags = write_tags(task, &importing->body);
	if (!picture.data)
		return prepared(task);
	importing->picture = arena_alloc(task_arena(task), base64_decoded_max(picture.length));
	return task_work(
	    task, LANE_SHORT,
	    &(struct task_work){
		.run = decode, .argument = importing, .size = picture.length, .is_text = true},
	    prepared);
}

static void app_import_finish(void *state)
{
	app_work_finish(&((struct importing *)state)->work);
}

ENDPOINT_APP_IMPORT(.handler = app_import_begin, .state_size = sizeof(struct importing),
		    .refused = refused, .finish = app_import_finish);
