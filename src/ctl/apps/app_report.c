#include "app_report.h"

#include "ctl/ctl.h"
#include "domain/form.h"

/* Whether the name is the renderers' name of an app's only file. */
static bool is_sole_file(const char *file)
{
	return strcmp(file, "app.star") == 0 || strcmp(file, "app.ts") == 0;
}

static void append_clean(const char *value, bool keeps_lines, struct buffer *text)
{
	ctl_append_visible(str_from(value ? value : ""), keeps_lines ? "\n\t" : "\t", text);
}

bool app_report_form(yyjson_val *schema, char ret_fault[static APP_FAULT_MAX])
{
	struct arena arena = {0};
	struct str reason = {0};
	struct form form;
	size_t length = 0;
	char *text = yyjson_is_obj(schema) ? yyjson_val_write(schema, 0, &length) : NULL;
	bool is_good = !text || form_read((struct str){text, length}, &arena, &form, &reason);

	if (!is_good)
		snprintf(ret_fault, APP_FAULT_MAX, "%.*s", STR_ARG(reason));
	arena_finish(&arena);
	free(text);
	return is_good;
}

void app_report_text(const char *value, struct buffer *text)
{
	append_clean(value, false, text);
}

void app_report_error(const char *path, bool is_folder, yyjson_val *error, struct buffer *text)
{
	const char *file = yyjson_get_str(yyjson_obj_get(error, "file"));
	int line = yyjson_get_int(yyjson_obj_get(error, "line"));
	int column = yyjson_get_int(yyjson_obj_get(error, "column"));

	buffer_append_str(text, str_from(path));
	if (file && (is_folder || !is_sole_file(file))) {
		if (path[strlen(path) - 1] != '/')
			buffer_append_char(text, '/');
		append_clean(file, false, text);
	}
	if (line > 0)
		buffer_printf(text, ":%d:%d", line, column);
	buffer_append_str(text, STR(": "));
	append_clean(yyjson_get_str(yyjson_obj_get(error, "message")), true, text);
	buffer_append_char(text, '\n');
}

void app_report_place(yyjson_val *error, struct buffer *text)
{
	const char *file = yyjson_get_str(yyjson_obj_get(error, "file"));
	int line = yyjson_get_int(yyjson_obj_get(error, "line"));

	if (file) {
		append_clean(file, false, text);
		if (line > 0)
			buffer_printf(text, ":%d:%d", line,
				      yyjson_get_int(yyjson_obj_get(error, "column")));
		buffer_append_str(text, STR(": "));
	}
	append_clean(yyjson_get_str(yyjson_obj_get(error, "message")), false, text);
}

void app_report_log(yyjson_val *answer, struct buffer *text)
{
	int64_t dropped = yyjson_get_sint(yyjson_obj_get(answer, "log_dropped"));
	yyjson_val *line;
	size_t i, count;

	yyjson_arr_foreach(yyjson_obj_get(answer, "log"), i, count, line)
	{
		append_clean(yyjson_get_str(line), false, text);
		buffer_append_char(text, '\n');
	}
	if (dropped > 0)
		buffer_printf(text, "(%lld more lines)\n", (long long)dropped);
}

static double get_number(yyjson_val *answer, const char *name)
{
	return yyjson_get_num(yyjson_obj_get(answer, name));
}

void app_report_picture(yyjson_val *answer, size_t picture_size, struct buffer *text)
{
	yyjson_val *delays = yyjson_obj_get(answer, "delays_ms"), *delay;
	double total_ms = 0;
	size_t i, count;

	yyjson_arr_foreach(delays, i, count, delay)
	{
		total_ms += yyjson_get_num(delay);
	}
	if (picture_size == 0)
		buffer_append_str(text, STR("nothing to show"));
	else if (yyjson_arr_size(delays) == 0)
		buffer_printf(text, "a still picture, %zu bytes", picture_size);
	else
		buffer_printf(text, "%zu frames in %.1f s, %zu bytes", yyjson_arr_size(delays),
			      total_ms / 1000, picture_size);
	buffer_printf(text, "; took %.1f ms", get_number(answer, "elapsed_us") / 1000);
	if (yyjson_obj_get(answer, "steps"))
		buffer_printf(text, ", %.0f steps", get_number(answer, "steps"));
	buffer_printf(text, ", %.1f MiB", get_number(answer, "memory_bytes") / (1 << 20));
}
