#include "problem_json.h"
#include "record/record.h"

static const char *const kinds[] = {
    [ENGINE_DONE] = "",
    [ENGINE_WRONG_SCRIPT] = "script",
    [ENGINE_NO_APP] = "app",
    [ENGINE_LIMIT] = "limit",
    [ENGINE_LATE] = "unavailable",
    [ENGINE_CRASH] = "crash",
    [ENGINE_BAD_REQUEST] = "request",
    [ENGINE_BAD_PICTURE] = "picture",
    [ENGINE_NOT_AVAILABLE] = "unavailable",
    [ENGINE_CANCELLED] = "unavailable",
};

struct shown_problem {
	struct str kind, message, author_message, file, backtrace;
	int64_t line, column;
};

static const struct record_field fields[] = {
    RECORD_STR(struct shown_problem, kind, .name = "kind"),
    RECORD_STR(struct shown_problem, message, .name = "message"),
    RECORD_STR(struct shown_problem, author_message, .name = "authorMessage"),
    RECORD_STR(struct shown_problem, file, .name = "file", .nullable = true),
    RECORD_INT(struct shown_problem, line, .name = "line", .nullable = true),
    RECORD_INT(struct shown_problem, column, .name = "column", .nullable = true),
    RECORD_STR(struct shown_problem, backtrace, .name = "backtrace", .nullable = true),
};
static const struct record shown_problem_record = RECORD(struct shown_problem, fields);

static struct str or_null(struct str text)
{
	return text.length ? text : (struct str){0};
}

static struct str or_empty(struct str text)
{
	return text.data ? text : STR("");
}

struct str problem_json(const struct engine_problem *problem, struct str author_message,
			struct arena *arena)
{
	struct shown_problem shown = {
	    .kind = str_from(kinds[problem->kind]),
	    .message = or_empty(problem->message),
	    .author_message = or_empty(author_message),
	    .file = or_null(problem->file),
	    .line = problem->line,
	    .column = problem->column,
	    .backtrace = or_null(problem->backtrace),
	};
	struct buffer buffer = {0};
	struct str text;

	if (problem->kind == ENGINE_DONE)
		return (struct str){0};
	record_write_json(&shown_problem_record, &shown, &buffer);
	text = arena_copy(arena, buffer_view(&buffer));
	buffer_finish(&buffer);
	return text;
}

bool problem_is_blamed(const struct engine_problem *problem)
{
	return problem->kind == ENGINE_LIMIT || problem->kind == ENGINE_CRASH;
}

bool problem_is_passing(const struct engine_problem *problem)
{
	return problem->kind == ENGINE_NOT_AVAILABLE || problem->kind == ENGINE_CANCELLED;
}
