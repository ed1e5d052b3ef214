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

/* Returns what follows a name at the start of a line of manifest.yaml, such as "name:"; NULL:
 * there is no such line. */
static const char *manifest_find(const struct files *files, const char *name)
{
	const struct file *manifest = find(files, "manifest.yaml", "");
	const char *line = manifest ? manifest->data : "";

	while (*line) {
		if (strncmp(line, name, strlen(name)) == 0)
			return line + strlen(name);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return NULL;
}

int files_interval_s(const struct files *files)
{
	enum { MOST_MINUTES = 7 * 24 * 60 };
	const char *text = manifest_find(files, "recommendedInterval:");
	char *rest;
	long minutes;

	if (!text)
		return -1;
	minutes = strtol(text, &rest, 10);
	if (rest == text || minutes < 0)
		return -1;
	return (int)(minutes < MOST_MINUTES ? minutes : MOST_MINUTES) * 60;
}

/* Whether the rest of a line has the value true, in one of the spellings of YAML, and maybe a
 * comment. */
static bool is_true(const char *rest)
{
	static const char *const spellings[] = {"true", "True", "TRUE"};

	rest += strspn(rest, " \t");
	for (unsigned i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
		const char *end = rest + strlen(spellings[i]);

		if (strncmp(rest, spellings[i], strlen(spellings[i])) == 0 &&
		    (end[strspn(end, " \t\r")] == '\n' || end[strspn(end, " \t\r")] == '\0' ||
		     (*end == ' ' && end[strspn(end, " \t")] == '#')))
			return true;
	}
	return false;
}

bool files_support_2x(const struct files *files)
{
	const char *rest = manifest_find(files, "supports2x:");

	return rest && is_true(rest);
}

bool file_has_ending(const struct file *file, const char *ending)
{
	size_t length = strlen(file->name), size = strlen(ending);

	return length > size && strcmp(file->name + length - size, ending) == 0;
}
