#include "app_answer.h"
#include "record/json.h"

#include <sodium.h>

/* Writes the lines of scripts that were run, as members of docs/api/pages. */

void app_write_lines(struct buffer *json, struct str text, char separator)
{
	const char *comma = "";
	struct str line;

	buffer_append_char(json, '[');
	while (text.length && str_next(&text, separator, &line)) {
		/* The last line ends with a line feed, too. */
		if (line.length == 0 && (separator == ' ' || text.length == 0))
			continue;
		buffer_printf(json, "%s", comma);
		json_write_str(json, line);
		comma = ",";
	}
	buffer_append_char(json, ']');
}

static const char *kind_name(enum engine_problem_kind kind)
{
	switch (kind) {
	case ENGINE_WRONG_SCRIPT:
		return "script";
	case ENGINE_NO_APP:
	case ENGINE_BAD_PICTURE:
		return "app";
	case ENGINE_LIMIT:
		return "limit";
	case ENGINE_CRASH:
		return "crash";
	case ENGINE_DONE:
	case ENGINE_BAD_REQUEST:
	case ENGINE_LATE:
	case ENGINE_NOT_AVAILABLE:
	case ENGINE_CANCELLED:
		break;
	}
	return "unavailable";
}

static void write_number(struct buffer *json, const char *name, int64_t number)
{
	if (number > 0)
		buffer_printf(json, ",\"%s\":%lld", name, (long long)number);
	else
		buffer_printf(json, ",\"%s\":null", name);
}

static void write_problem(struct buffer *json, struct str kind, struct str message, struct str file,
			  int64_t line, int64_t column)
{
	buffer_append_str(json, STR("{\"kind\":"));
	json_write_str(json, kind);
	buffer_append_str(json, STR(",\"message\":"));
	json_write_str(json, message);
	buffer_append_str(json, STR(",\"file\":"));
	if (file.length)
		json_write_str(json, file);
	else
		buffer_append_str(json, STR("null"));
	write_number(json, "line", line);
	write_number(json, "column", column);
	buffer_append_char(json, '}');
}

void app_write_problem(struct buffer *json, const struct engine_problem *problem)
{
	if (problem->kind == ENGINE_DONE)
		buffer_append_str(json, STR("null"));
	else
		write_problem(json, str_from(kind_name(problem->kind)), problem->message,
			      problem->file, problem->line, problem->column);
}

static struct str text_member(const struct json_value *object, const char *name)
{
	const struct json_value *value = json_member(object, name);
	struct str text = {"", 0};

	if (value)
		(void)json_get_str(value, &text);
	return text;
}

static int64_t number_member(const struct json_value *object, const char *name)
{
	const struct json_value *value = json_member(object, name);
	int64_t number = 0;

	if (value)
		(void)json_get_integer(value, &number);
	return number;
}

void app_write_problem_value(struct buffer *json, const struct json_value *problem)
{
	static const char *const known[] = {"script", "app", "limit", "crash"};
	struct str kind = text_member(problem, "kind");
	const char *shown = "unavailable";

	for (unsigned i = 0; i < array_length(known); i++)
		if (str_equal(kind, str_from(known[i])))
			shown = known[i];
	write_problem(json, str_from(shown), text_member(problem, "message"),
		      text_member(problem, "file"), number_member(problem, "line"),
		      number_member(problem, "column"));
}

void app_write_kept_problem(struct task *task, struct buffer *json, struct str problem)
{
	struct json_document document = {0};
	struct str reason;

	if (problem.length && json_parse(problem, task_arena(task), &document, &reason))
		app_write_problem_value(json, document.root);
	else
		buffer_append_str(json, STR("null"));
	json_document_finish(&document);
}

void app_write_form(struct buffer *json, const struct app_work *work)
{
	const struct engine_problem *problem = &work->job.answer.problem;
	bool is_unavailable = !work->has_form && (problem->kind == ENGINE_NOT_AVAILABLE ||
						  problem->kind == ENGINE_CANCELLED ||
						  problem->kind == ENGINE_BAD_REQUEST);

	buffer_append_str(json, STR("\"version\":"));
	if (work->source.version.length)
		json_write_str(json, work->source.version);
	else
		buffer_append_str(json, STR("null"));
	buffer_append_str(json, STR(",\"fields\":"));
	form_write(&work->form, json);
	buffer_append_str(json, STR(",\"language\":"));
	if (work->language.length)
		json_write_str(json, work->language);
	else
		buffer_append_str(json, STR("null"));
	buffer_append_str(json, STR(",\"unavailable\":"));
	if (is_unavailable)
		json_write_str(json, problem->message);
	else
		buffer_append_str(json, STR("null"));
	buffer_append_str(json, STR(",\"problem\":"));
	app_write_problem(json,
			  work->has_form || is_unavailable ? &(struct engine_problem){0} : problem);
}

static void write_picture(struct buffer *json, struct str picture)
{
	buffer_append_char(json, '"');
	buffer_append_base64(json, picture);
	buffer_append_char(json, '"');
}

void app_write_preview(struct buffer *json, const struct app_work *work)
{
	const struct engine_answer *answer = &work->job.answer;
	bool is_done = answer->problem.kind == ENGINE_DONE;

	buffer_append_str(json, STR("\"picture\":"));
	if (is_done && answer->picture.length)
		write_picture(json, answer->picture);
	else
		buffer_append_str(json, STR("null"));
	buffer_append_str(json, STR(",\"cut\":"));
	if (is_done && answer->cut.length)
		json_write_str(json, answer->cut);
	else
		buffer_append_str(json, STR("null"));
	buffer_printf(json, ",\"hasNothing\":%s,\"durationMs\":%u",
		      is_done && answer->picture.length == 0 ? "true" : "false",
		      answer->duration_ms);
	buffer_append_str(json, STR(",\"log\":"));
	app_write_lines(json, answer->log, '\n');
	buffer_append_str(json, STR(",\"problem\":"));
	app_write_problem(json, &answer->problem);
	buffer_printf(json, ",\"tookMs\":%llu,\"hosts\":",
		      (unsigned long long)(answer->elapsed_us + 999) / 1000);
	app_write_lines(json, answer->hosts, ' ');
}
