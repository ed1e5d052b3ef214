#include "base/limits.h"
#include "task_private.h"

enum field_count task_single_field(const struct task *task, struct str name, struct str *ret_value)
{
	const struct http_request *request = task->request;
	enum field_count count = FIELD_ABSENT;

	for (unsigned i = 0; i < request->field_count; i++) {
		if (!str_equal_ignore_case(request->fields[i].name, name))
			continue;
		if (count != FIELD_ABSENT)
			return FIELD_REPEATED;
		*ret_value = request->fields[i].value;
		count = FIELD_SINGLE;
	}
	return count;
}

/* Returns the body's media type, without parameters; empty if there is not exactly one. */
static struct str media_type(const struct task *task)
{
	struct str value;

	if (task_single_field(task, STR("content-type"), &value) != FIELD_SINGLE)
		return STR("");
	return str_trim((struct str){value.data, str_find(value, ';')});
}

static bool is_json(const struct task *task)
{
	return task->endpoint->takes_any_type ||
	       str_equal_ignore_case(media_type(task), STR("application/json"));
}

static struct step_result fail_type(struct task *task)
{
	if (task->endpoint->takes_picture)
		return task_fail(task, PROBLEM_TYPE_UNSUPPORTED,
				 "the body must be JSON, with Content-Type: application/json, or "
				 "a picture, with Content-Type: image/png, image/gif or "
				 "image/webp");
	return task_fail(task, PROBLEM_TYPE_UNSUPPORTED,
			 "the body must be JSON, with Content-Type: application/json");
}

bool task_fails_coding(struct task *task, struct step_result *ret_answer)
{
	if (!http_request_field(task->request, STR("content-encoding")).data)
		return false;
	task_add_field(task, STR("Accept-Encoding"), STR("identity"));
	*ret_answer = task_fail(task, PROBLEM_CONTENT_ENCODING_UNSUPPORTED,
				"the body must be sent without Content-Encoding");
	return true;
}

/* Continues when the body was parsed. */
static struct step_result body_parsed(struct task *task)
{
	if (task->is_json)
		return task_next_stage(task);
	if (task->document.lacks_memory)
		return task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
				      "no memory is left to read the body, try again");
	return task_fail(task, PROBLEM_BODY_MALFORMED, "%.*s", STR_ARG(task->why_no_json));
}

/* A file, which is a body as a whole, may begin with a byte order mark (RFC 8259 section 8.1). */
static void skip_mark(struct task *task)
{
	struct str *body = &task->request->body;

	if (task->endpoint->body && task->endpoint->body->takes_whole &&
	    str_starts_with(*body, STR("\xef\xbb\xbf")))
		*body = str_from_offset(*body, 3);
}

static struct step_result parse_body(struct task *task)
{
	struct step_result answer;

	if (task_fails_coding(task, &answer))
		return answer;
	if (task_takes_picture(task, media_type(task)))
		return task_read_picture(task, media_type(task));
	if (!is_json(task))
		return fail_type(task);
	skip_mark(task);
	if (task->request->body.length > LIMIT_LOOP_TEXT_BYTES)
		return task_read_large_body(task, body_parsed);
	task->is_json = json_parse_body(task->request->body, task_arena(task), &task->document,
					&task->why_no_json);
	return body_parsed(task);
}

static struct step_result fail_body(struct task *task)
{
	switch (task->body_status) {
	case 413:
		return task_fail(task, PROBLEM_BODY_TOO_LARGE, "the body is larger than %zu bytes",
				 task->body_max);
	case 408:
		return task_fail(task, PROBLEM_BODY_TOO_SLOW, "the body came too slowly");
	case 503:
		return task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
				      "too many large bodies are being received, try again");
	default:
		return task_fail(task, PROBLEM_BODY_MALFORMED,
				 "the body's transfer coding is malformed or cut off");
	}
}

static void on_body(struct http_request *request, int status)
{
	struct task *task = request->handler_data;

	task->body_status = status;
	task_run(task, status ? fail_body : parse_body);
}

struct step_result task_read_body(struct task *task)
{
	const struct endpoint *endpoint = task->endpoint;

	task->body_max =
	    endpoint->body_max_bytes ? endpoint->body_max_bytes : LIMIT_REQUEST_BODY_BYTES;
	if (!task->request->has_body)
		return task_continue(task, parse_body);
	http_request_read_body(task->request, task->body_max, on_body);
	return task_wait(task, NULL);
}

bool task_reads_fields(struct task *task)
{
	if (!task->has_read_fields)
		record_read_json(task->endpoint->body, task->document.root, task->state,
				 &task->present, &task->faults);
	task->has_read_fields = true;
	return task->faults.count == 0;
}
