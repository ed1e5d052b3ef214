#include "task_private.h"

/* A body that is the bytes of a picture, if the endpoint takes such: the members that a JSON body
 * would have come from the query, and the member for the picture is empty.
 *
 *   POST .../push?installationId=door&background=true    Content-Type: image/png */

enum { LITERAL_LENGTH_MAX = 18 }; /* of a number, which has at most as many digits */

bool task_takes_picture(const struct task *task, struct str type)
{
	const struct str image = STR("image/");

	return task->endpoint->takes_picture && type.length > image.length &&
	       str_equal_ignore_case((struct str){type.data, image.length}, image);
}

/* ---- members ---- */

static bool is_text(const struct task *task, struct str name)
{
	const struct record *record = task->endpoint->body;

	for (unsigned i = 0; i < record->field_count; i++) {
		const struct record_field *field = &record->fields[i];

		if (field->body && str_equal(name, str_from(field->body)))
			return field->kind == RECORD_KIND_STR;
	}
	return true; /* the record's check names it */
}

/* Whether it is written in JSON as it stands: a truth value, or a whole number. */
static bool is_literal(struct str value)
{
	if (str_equal(value, STR("true")) || str_equal(value, STR("false")))
		return true;
	if (value.length == 0 || value.length > LITERAL_LENGTH_MAX ||
	    (value.data[0] == '0' && value.length > 1))
		return false;
	for (size_t i = 0; i < value.length; i++)
		if (value.data[i] < '0' || value.data[i] > '9')
			return false;
	return true;
}

static bool add_member(struct task *task, struct str pair, struct buffer *json)
{
	size_t end = str_find(pair, '=');
	struct str name, value;

	if (!http_decode(task_arena(task), (struct str){pair.data, end}, &name) ||
	    !http_decode(task_arena(task), str_from_offset(pair, end < pair.length ? end + 1 : end),
			 &value))
		return false;
	buffer_append_char(json, ',');
	json_write_str(json, name);
	buffer_append_char(json, ':');
	if (is_literal(value) && !is_text(task, name))
		buffer_append_str(json, value);
	else
		json_write_str(json, value);
	return true;
}

/* ---- the body ---- */

static struct step_result parse(struct task *task, struct str text)
{
	task->is_json =
	    json_parse_body(text, task_arena(task), &task->document, &task->why_no_json);
	if (task->is_json)
		return task_next_stage(task);
	if (task->document.lacks_memory)
		return task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
				      "no memory is left to read the query, try again");
	return task_fail(task, PROBLEM_PARAMETER_INVALID, "the query is not valid: %.*s",
			 STR_ARG(task->why_no_json));
}

struct step_result task_read_picture(struct task *task, struct str type)
{
	struct str rest = task->request->query, pair, text;
	struct buffer json = {0};
	bool is_good = true;

	task->picture = task->request->body;
	if (!task->picture.data)
		task->picture = STR("");
	task->picture_type = str_equal(type, STR("image/*")) ? STR("") : type;
	buffer_append_str(&json, STR("{\"image\":\"\""));
	while (is_good && str_next(&rest, '&', &pair))
		is_good = pair.length == 0 || add_member(task, pair, &json);
	buffer_append_char(&json, '}');
	text = arena_copy(task_arena(task), buffer_view(&json));
	buffer_finish(&json);
	if (!is_good)
		return task_fail(task, PROBLEM_PARAMETER_INVALID,
				 "the query must be UTF-8 in percent-encoding");
	return parse(task, text);
}

struct str task_picture(const struct task *task, struct str *ret_type)
{
	*ret_type = task->picture_type;
	return task->picture;
}
