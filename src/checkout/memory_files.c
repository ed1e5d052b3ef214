#include "checkout/memory_files.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory_folder {
	struct app_folder folder;
	const struct memory_files *files;
};

void memory_files_add(struct memory_files *files, struct str name, struct str content)
{
	struct memory_file *file;

	if (files->count == MEMORY_FILES_MAX)
		return;
	if (!files->list)
		files->list = memory_zalloc(MEMORY_FILES_MAX * sizeof(*files->list));
	file = &files->list[files->count++];
	file->name = memory_zalloc(name.length + 1);
	memcpy(file->name, name.data, name.length);
	buffer_append_str(&file->content, content);
	files->bytes += content.length;
}

const struct buffer *memory_files_find(const struct memory_files *files, const char *name)
{
	for (unsigned i = 0; i < files->count; i++)
		if (strcmp(files->list[i].name, name) == 0)
			return &files->list[i].content;
	return NULL;
}

static int read_file(const struct app_folder *folder, const char *name, bool was_named,
		     struct buffer *data, char ret_fault[static APP_FAULT_MAX])
{
	const struct memory_folder *own = container_of(folder, struct memory_folder, folder);
	const struct buffer *content = memory_files_find(own->files, name);

	(void)was_named;
	if (!content) {
		snprintf(ret_fault, APP_FAULT_MAX, "%s is missing", name);
		return -1;
	}
	buffer_append_str(data, buffer_view(content));
	return 0;
}

int memory_files_pack(const struct memory_files *files, struct buffer *script,
		      bool *ret_is_typescript, char ret_fault[static APP_FAULT_MAX])
{
	struct memory_folder memory = {.folder = {.read = read_file}, .files = files};
	int status;

	for (unsigned i = 0; i < files->count; i++)
		app_folder_add(&memory.folder, files->list[i].name);
	status = app_pack_folder(&memory.folder, script, ret_is_typescript, ret_fault);
	app_folder_finish(&memory.folder);
	if (status == 0 && buffer_length(script) > APP_SCRIPT_BYTES_MAX) {
		snprintf(ret_fault, APP_FAULT_MAX, "is larger than 8 MiB");
		return -1;
	}
	return status;
}

void memory_files_finish(struct memory_files *files)
{
	for (unsigned i = 0; i < files->count; i++) {
		free(files->list[i].name);
		buffer_finish(&files->list[i].content);
	}
	free(files->list);
	*files = (struct memory_files){0};
}
