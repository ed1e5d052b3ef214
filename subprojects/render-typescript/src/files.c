#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <text/base64.h>

static char *copy(struct str from)
{
	char *made = malloc(from.length + 1);

	if (made) {
		memcpy(made, from.data, from.length);
		made[from.length] = '\0';
	}
	return made;
}

/* Decodes Base64; returns no bytes if the text is not Base64. */
static char *unpack(struct str text, size_t *ret_length)
{
	char *made = malloc(base64_decoded_max(text.length) + 1);

	if (!made)
		return NULL;
	if (base64_decode(text, (uint8_t *)made, ret_length) < 0)
		*ret_length = 0;
	made[*ret_length] = '\0';
	return made;
}

static bool add(struct files *files, const struct txtar_file *from)
{
	struct file *file, *list;

	if (files->count == FILES_MAX)
		return false;
	list = realloc(files->list, (files->count + 1) * sizeof(*list));
	if (!list)
		return false;
	files->list = list;
	file = &list[files->count++];
	*file = (struct file){.name = copy(from->name), .length = from->data.length};
	file->data = from->is_base64 ? unpack(from->data, &file->length) : copy(from->data);
	return file->name && file->data;
}

bool files_read(struct files *files, struct str script, const char *sole_name)
{
	struct txtar_file file = {.name = str_from(sole_name), .data = script};

	if (!txtar_is_archive(script))
		return add(files, &file);
	while (txtar_next(&script, &file))
		if (!add(files, &file))
			return false;
	return true;
}

void files_finish(struct files *files)
{
	for (unsigned i = 0; i < files->count; i++) {
		free(files->list[i].name);
		free(files->list[i].data);
	}
	free(files->list);
	*files = (struct files){0};
}

static const struct file *find(const struct files *files, const char *name, const char *ending)
{
	size_t length = strlen(name);

	for (unsigned i = 0; i < files->count; i++)
		if (strncmp(files->list[i].name, name, length) == 0 &&
		    strcmp(files->list[i].name + length, ending) == 0)
			return &files->list[i];
	return NULL;
}

const struct file *files_find(const struct files *files, const char *name)
{
	const struct file *file = find(files, name, "");

	return file ? file : find(files, name, ".ts");
}

int files_interval_s(const struct files *files)
{
	static const char name[] = "recommendedInterval:";
	enum { NAME = sizeof(name) - 1, MOST_MINUTES = 7 * 24 * 60 };
	const struct file *manifest = find(files, "manifest.yaml", "");
	const char *line = manifest ? manifest->data : "";

	while (*line) {
		if (strncmp(line, name, NAME) == 0) {
			char *rest;
			long minutes = strtol(line + NAME, &rest, 10);

			if (rest == line + NAME || minutes < 0)
				return -1;
			return (int)(minutes < MOST_MINUTES ? minutes : MOST_MINUTES) * 60;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return -1;
}

bool file_has_ending(const struct file *file, const char *ending)
{
	size_t length = strlen(file->name), size = strlen(ending);

	return length > size && strcmp(file->name + length - size, ending) == 0;
}
