#include "answer.h"
#include "base/memory.h"
#include "log_lines.h"
#include "record/json_memory.h"
#include "record/json_text.h"

#include <text/utf8.h>

enum {
	MESSAGE_BYTES = 2 * 1024,
	BACKTRACE_BYTES = 4 * 1024,
	FILE_BYTES = 256,
	HOSTS = 20,
	HOST_BYTES = 253,
	RESULT_BYTES = 4 * 1024 * 1024,
	NUMBER_MAX = 1000 * 1000 * 1000,
	MAX_AGE_MAX_S = 7 * 24 * 3600,
};

struct answer_memory *answer_begin(struct engine_answer *answer)
{
	struct answer_memory *memory = memory_zalloc(sizeof(*memory));

	*answer = (struct engine_answer){.memory = memory, .interval_s = -1};
	return memory;
}

void answer_finish(struct engine_answer *answer)
{
	struct answer_memory *memory = answer->memory;

	if (memory) {
		arena_finish(&memory->arena);
		panelimage_result_finish(&memory->picture);
		buffer_finish(&memory->compiled);
	}
	free(memory);
	*answer = (struct engine_answer){0};
}

static struct arena *arena_of(struct engine_answer *answer)
{
	struct answer_memory *memory = answer->memory;

	return &memory->arena;
}

/* ---- untrusted values ---- */

static uint64_t read_number(yyjson_val *object, const char *name, uint64_t most)
{
	yyjson_val *value = yyjson_obj_get(object, name);
	uint64_t number = yyjson_is_uint(value) ? yyjson_get_uint(value) : 0;

	return number < most ? number : most;
}

static struct str copy_text(struct arena *arena, yyjson_val *value, size_t most)
{
	struct str copy = arena_copy(arena, utf8_cut(json_text(value), most));

	for (size_t i = 0; i < copy.length; i++)
		if (copy.data[i] == '\0')
			((char *)copy.data)[i] = ' ';
	return copy;
}

static struct str read_text(struct engine_answer *answer, yyjson_val *object, const char *name,
			    size_t most)
{
	return copy_text(arena_of(answer), yyjson_obj_get(object, name), most);
}

/* ---- members ---- */

static enum engine_problem_kind read_kind(struct str name)
{
	if (str_equal(name, STR("app")))
		return ENGINE_NO_APP;
	if (str_equal(name, STR("limit")))
		return ENGINE_LIMIT;
	if (str_equal(name, STR("late")))
		return ENGINE_LATE;
	if (str_equal(name, STR("request")))
		return ENGINE_BAD_REQUEST;
	return ENGINE_WRONG_SCRIPT;
}

static void read_problem(struct engine_answer *answer, yyjson_val *error)
{
	if (!yyjson_is_obj(error))
		return;
	answer->problem = (struct engine_problem){
	    .kind = read_kind(json_text(yyjson_obj_get(error, "kind"))),
	    .message = read_text(answer, error, "message", MESSAGE_BYTES),
	    .file = read_text(answer, error, "file", FILE_BYTES),
	    .line = (int)read_number(error, "line", NUMBER_MAX),
	    .column = (int)read_number(error, "column", NUMBER_MAX),
	    .backtrace = read_text(answer, error, "backtrace", BACKTRACE_BYTES),
	};
}

static void read_log(struct engine_answer *answer, yyjson_val *head)
{
	yyjson_val *log = yyjson_obj_get(head, "log"), *line;
	struct log_lines lines = {0};
	yyjson_arr_iter walk;

	yyjson_arr_iter_init(log, &walk);
	while ((line = yyjson_arr_iter_next(&walk)))
		if (yyjson_is_str(line))
			log_lines_add(&lines, copy_text(arena_of(answer), line, LOG_BYTES_MAX + 1));
	if (lines.count > 0)
		answer->log = arena_copy(arena_of(answer), buffer_view(&lines.text));
	buffer_finish(&lines.text);
	answer->log_dropped +=
	    lines.dropped + (unsigned)read_number(head, "log_dropped", NUMBER_MAX);
}

static void read_hosts(struct engine_answer *answer, yyjson_val *head)
{
	yyjson_val *hosts = yyjson_obj_get(head, "hosts"), *host;
	struct buffer text = {0};
	unsigned count = 0;
	yyjson_arr_iter walk;

	if (!yyjson_is_arr(hosts))
		return;
	yyjson_arr_iter_init(hosts, &walk);
	while (count < HOSTS && (host = yyjson_arr_iter_next(&walk))) {
		struct str name = copy_text(arena_of(answer), host, HOST_BYTES);

		if (!yyjson_is_str(host))
			continue;
		if (count++ > 0)
			buffer_append_char(&text, ' ');
		buffer_append_str(&text, name);
	}
	answer->hosts = arena_copy(arena_of(answer), buffer_view(&text));
	buffer_finish(&text);
}

static void read_schema(struct engine_answer *answer, yyjson_val *schema)
{
	size_t length = 0;
	char *text;

	if (!yyjson_is_obj(schema))
		return;
	text = yyjson_val_write_opts(schema, YYJSON_WRITE_NOFLAG, &json_memory, &length, NULL);
	if (text)
		answer->schema = arena_copy(arena_of(answer), (struct str){text, length});
	free(text);
}

void answer_read_head(struct engine_answer *answer, yyjson_val *head)
{
	yyjson_val *result = yyjson_obj_get(head, "result");

	answer->elapsed_us += read_number(head, "elapsed_us", UINT32_MAX);
	answer->cpu_us += read_number(head, "cpu_us", UINT32_MAX);
	answer->memory_bytes += read_number(head, "memory_bytes", (uint64_t)1 << 40);
	read_log(answer, head);
	read_hosts(answer, head);
	read_problem(answer, yyjson_obj_get(head, "error"));
	if (answer->problem.kind != ENGINE_DONE)
		return;
	answer->max_age_s = (int)read_number(head, "max_age_s", MAX_AGE_MAX_S);
	/* A painter's answer has no interval_s: it reads no manifest. */
	if (yyjson_is_uint(yyjson_obj_get(head, "interval_s")))
		answer->interval_s = (int)read_number(head, "interval_s", MAX_AGE_MAX_S);
	answer->cut = read_text(answer, head, "cut", MESSAGE_BYTES);
	answer->show_full_animation = yyjson_get_bool(yyjson_obj_get(head, "show_full_animation"));
	read_schema(answer, yyjson_obj_get(head, "schema"));
	if (yyjson_is_str(result))
		answer->result = copy_text(arena_of(answer), result, RESULT_BYTES);
}

void answer_read_blob(struct engine_answer *answer, yyjson_val *head, struct str blob)
{
	struct str name = json_text(yyjson_obj_get(head, "blob_is"));
	bool is_schema = str_equal(name, STR("schema"));

	if (answer->problem.kind != ENGINE_DONE || (!is_schema && !str_equal(name, STR("result"))))
		return;
	if (blob.length > RESULT_BYTES || !utf8_is_valid(blob) ||
	    str_find(blob, '\0') < blob.length) {
		answer_fail(answer, ENGINE_CRASH, "the app's renderer returned no text");
		return;
	}
	*(is_schema ? &answer->schema : &answer->result) = arena_copy(arena_of(answer), blob);
}

void answer_fail(struct engine_answer *answer, enum engine_problem_kind kind, const char *format,
		 ...)
{
	struct str message;
	va_list args;

	va_start(args, format);
	message = arena_vprintf(arena_of(answer), format, args);
	va_end(args);
	answer->problem =
	    (struct engine_problem){.kind = kind, .message = utf8_cut(message, MESSAGE_BYTES)};
}
