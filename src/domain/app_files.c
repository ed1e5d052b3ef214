#include "domain/app_files.h"
#include "base/memory.h"

#include <stdio.h>

static bool has_ending(struct str text, struct str ending)
{
	return text.length > ending.length && str_ends_with(text, ending);
}

/* Whether no part between slashes is empty, "." or "..". */
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

static const struct txtar_file *app_files_find(const struct app_files *files, struct str name)
{
	for (unsigned i = 0; i < files->count; i++)
		if (str_equal(files->list[i].name, name))
			return &files->list[i];
	return NULL;
}

static int app_files_add(struct app_files *files, const struct txtar_file *file,
			 char ret_why[static APP_FILES_WHY_MAX])
{
	int shown = file->name.length < 100 ? (int)file->name.length : 100;
	const char *ending = file->is_base64 ? ";base64" : "";

	if (!is_path(file->name))
		snprintf(ret_why, APP_FILES_WHY_MAX, "\"%.*s%s\" is not a valid file name", shown,
			 file->name.data, ending);
	else if (app_files_find(files, file->name))
		snprintf(ret_why, APP_FILES_WHY_MAX, "%.*s%s appears twice", shown, file->name.data,
			 ending);
	else if (files->count == APP_FILES_MAX)
		snprintf(ret_why, APP_FILES_WHY_MAX, "more than %d files", APP_FILES_MAX);
	else
		ret_why[0] = '\0';
	if (ret_why[0])
		return -1;
	files->list[files->count++] = *file;
	return 0;
}

bool app_file_is_declaration(const struct txtar_file *file)
{
	return has_ending(file->name, STR(".d.ts"));
}

bool app_file_is_script(const struct txtar_file *file)
{
	return has_ending(file->name, STR(".ts")) && !app_file_is_declaration(file);
}

/* The file with main(), or NULL. */
static struct txtar_file *find_first(const struct app_files *files)
{
	const struct txtar_file *found = app_files_find(files, STR("app.ts"));
	unsigned count = 0;

	if (!found)
		found = app_files_find(files, STR("main.ts"));
	if (found)
		return (struct txtar_file *)found;
	for (unsigned i = 0; i < files->count; i++) {
		const struct txtar_file *file = &files->list[i];
		bool is_in_folder = str_find(file->name, '/') < file->name.length;

		if (app_file_is_script(file) && !is_in_folder && count++ == 0)
			found = file;
	}
	return count == 1 ? (struct txtar_file *)found : NULL;
}

static int order(struct app_files *files, char ret_why[static APP_FILES_WHY_MAX])
{
	struct txtar_file *first = find_first(files), other;
	unsigned scripts = 0;

	for (unsigned i = 0; i < files->count; i++)
		scripts += app_file_is_script(&files->list[i]);
	if (scripts > APP_FILES_SCRIPTS_MAX) {
		snprintf(ret_why, APP_FILES_WHY_MAX, "more than %d scripts", APP_FILES_SCRIPTS_MAX);
		return -1;
	}

	if (!first) {
		snprintf(ret_why, APP_FILES_WHY_MAX,
			 "if there are several scripts, one must be app.ts or main.ts");
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
	struct txtar_file file;
	int status = 0;

	*ret_files =
	    (struct app_files){.list = memory_zalloc(APP_FILES_MAX * sizeof(*ret_files->list))};
	while (status == 0 && txtar_next(&archive, &file))
		status = app_files_add(ret_files, &file, ret_why);
	return status == 0 ? order(ret_files, ret_why) : -1;
}

void app_files_finish(struct app_files *files)
{
	free(files->list);
	*files = (struct app_files){0};
}

void app_files_append(struct buffer *archive, const struct txtar_file *file, struct str data)
{
	struct txtar_file inner;
	struct str rest = data;
	bool packs = !file->is_base64 && txtar_next(&rest, &inner);

	buffer_printf(archive, "-- %.*s%s --\n", STR_ARG(file->name),
		      packs || file->is_base64 ? ";base64" : "");
	if (packs)
		buffer_append_base64(archive, data);
	else
		buffer_append_str(archive, data);
	if (data.length == 0 || packs || data.data[data.length - 1] != '\n')
		buffer_append_char(archive, '\n');
}
