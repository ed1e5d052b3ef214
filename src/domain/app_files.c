#include "domain/app_files.h"
#include "base/memory.h"

#include <sodium.h>
#include <stdio.h>

static const struct str begin = STR("-- "), end = STR(" --"), packed = STR(";base64");

static bool has_ending(struct str text, struct str ending)
{
	return text.length > ending.length &&
	       memcmp(text.data + text.length - ending.length, ending.data, ending.length) == 0;
}

static struct str trim(struct str line)
{
	while (line.length && strchr(" \t\r\n", line.data[line.length - 1]))
		line.length--;
	while (line.length && strchr(" \t\r\n", line.data[0]))
		line = str_from_offset(line, 1);
	return line;
}

/* The NAME of a line "-- NAME --"; empty: it is none. */
static struct str marker_name(struct str line)
{
	while (line.length && strchr("\r\n", line.data[line.length - 1]))
		line.length--;
	if (line.length <= begin.length + end.length || !has_ending(line, end) ||
	    memcmp(line.data, begin.data, begin.length) != 0)
		return (struct str){0};
	line.length -= end.length;
	return trim(str_from_offset(line, begin.length));
}

/* Takes the next line, with its end. */
static struct str take_line(struct str *text)
{
	size_t length = str_find(*text, '\n');
	struct str line = {text->data, length < text->length ? length + 1 : length};

	*text = str_from_offset(*text, line.length);
	return line;
}

bool app_files_is_archive(struct str script)
{
	while (script.length) {
		struct str line = trim(take_line(&script));

		if (line.length && line.data[0] != '#')
			return marker_name(line).length > 0;
	}
	return false;
}

/* Parts between slashes, of which none is empty, "." or "..". */
static bool is_path(struct str name)
{
	while (name.length) {
		size_t length = str_find(name, '/');
		struct str part = {name.data, length};

		if (length == 0 || str_equal(part, STR(".")) || str_equal(part, STR("..")))
			return false;
		if (length == name.length)
			return true;
		name = str_from_offset(name, length + 1);
	}
	return false;
}

static const struct app_file *find(const struct app_files *files, struct str name)
{
	for (unsigned i = 0; i < files->count; i++)
		if (str_equal(files->list[i].name, name))
			return &files->list[i];
	return NULL;
}

static int add(struct app_files *files, struct str name, struct str data,
	       char ret_why[static APP_FILES_WHY_MAX])
{
	struct app_file file = {.name = name, .data = data, .is_base64 = has_ending(name, packed)};
	int shown = name.length < 100 ? (int)name.length : 100;

	if (file.is_base64)
		file.name.length -= packed.length;
	if (!is_path(file.name))
		snprintf(ret_why, APP_FILES_WHY_MAX, "\"%.*s\" is no name of a file", shown,
			 name.data);
	else if (find(files, file.name))
		snprintf(ret_why, APP_FILES_WHY_MAX, "%.*s is there twice", shown, name.data);
	else if (files->count == APP_FILES_MAX)
		snprintf(ret_why, APP_FILES_WHY_MAX, "more than %d files", APP_FILES_MAX);
	else
		ret_why[0] = '\0';
	if (ret_why[0])
		return -1;
	files->list[files->count++] = file;
	return 0;
}

bool app_file_is_declaration(const struct app_file *file)
{
	return has_ending(file->name, STR(".d.ts"));
}

bool app_file_is_script(const struct app_file *file)
{
	return has_ending(file->name, STR(".ts")) && !app_file_is_declaration(file);
}

/* The file with main(), or NULL. */
static struct app_file *find_first(const struct app_files *files)
{
	const struct app_file *found = find(files, STR("app.ts"));
	unsigned count = 0;

	if (!found)
		found = find(files, STR("main.ts"));
	if (found)
		return (struct app_file *)found;
	for (unsigned i = 0; i < files->count; i++) {
		const struct app_file *file = &files->list[i];
		bool is_in_folder = str_find(file->name, '/') < file->name.length;

		if (app_file_is_script(file) && !is_in_folder && count++ == 0)
			found = file;
	}
	return count == 1 ? (struct app_file *)found : NULL;
}

static int order(struct app_files *files, char ret_why[static APP_FILES_WHY_MAX])
{
	struct app_file *first = find_first(files), other;
	unsigned scripts = 0;

	for (unsigned i = 0; i < files->count; i++)
		scripts += app_file_is_script(&files->list[i]);
	if (scripts > APP_FILES_SCRIPTS_MAX) {
		snprintf(ret_why, APP_FILES_WHY_MAX, "more than %d scripts", APP_FILES_SCRIPTS_MAX);
		return -1;
	}

	if (!first) {
		snprintf(ret_why, APP_FILES_WHY_MAX,
			 "among several scripts one must be app.ts or main.ts");
		return -1;
	}
	other = files->list[0];
	files->list[0] = *first;
	*first = other;
	return 0;
}

int app_files_read(struct str archive, struct app_files *ret_files,
		   char ret_why[static APP_FILES_WHY_MAX])
{
	struct str name = {0}, data = {0};
	int status = 0;

	*ret_files =
	    (struct app_files){.list = memory_zalloc(APP_FILES_MAX * sizeof(*ret_files->list))};
	while (archive.length && status == 0) {
		struct str line = take_line(&archive), next = marker_name(line);

		if (next.length == 0) {
			data.length += line.length;
			continue;
		}
		if (name.length)
			status = add(ret_files, name, data, ret_why);
		name = next;
		data = (struct str){archive.data, 0};
	}
	if (status == 0 && name.length)
		status = add(ret_files, name, data, ret_why);
	return status == 0 ? order(ret_files, ret_why) : -1;
}

void app_files_finish(struct app_files *files)
{
	free(files->list);
	*files = (struct app_files){0};
}

static bool has_marker(struct str data)
{
	while (data.length)
		if (marker_name(take_line(&data)).length > 0)
			return true;
	return false;
}

void app_files_append(struct buffer *archive, const struct app_file *file, struct str data)
{
	bool packs = !file->is_base64 && has_marker(data);

	buffer_printf(archive, "-- %.*s%s --\n", STR_ARG(file->name),
		      packs || file->is_base64 ? ";base64" : "");
	if (packs) {
		size_t size =
		    sodium_base64_ENCODED_LEN(data.length, sodium_base64_VARIANT_ORIGINAL);

		sodium_bin2base64(buffer_reserve(archive, size), size,
				  (const unsigned char *)data.data, data.length,
				  sodium_base64_VARIANT_ORIGINAL);
		buffer_commit(archive, size - 1); /* without the NUL */
	} else {
		buffer_append_str(archive, data);
	}
	if (data.length == 0 || packs || data.data[data.length - 1] != '\n')
		buffer_append_char(archive, '\n');
}
