#include "files.h"

#include <stdlib.h>
#include <string.h>

static const char begin[] = "-- ", end[] = " --", packed[] = ";base64";

enum { BEGIN = sizeof(begin) - 1, END = sizeof(end) - 1, PACKED = sizeof(packed) - 1 };

/* Length of the NAME of a marker's line; 0: it is none. */
static size_t marker_name(const char *line, size_t length)
{
	if (length > 0 && line[length - 1] == '\r')
		length--;
	if (length <= BEGIN + END || memcmp(line, begin, BEGIN) != 0 ||
	    memcmp(line + length - END, end, END) != 0)
		return 0;
	return length - BEGIN - END;
}

/* Its length without the line's end. */
static size_t line_length(const char *from, const char *until)
{
	const char *newline = memchr(from, '\n', (size_t)(until - from));

	return (size_t)((newline ? newline : until) - from);
}

static int digit_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes in place, over white space; what is none ends it. */
static void unpack(struct file *file)
{
	size_t length = 0;
	unsigned bits = 0;
	int count = 0;

	for (size_t i = 0; i < file->length && file->data[i] != '='; i++) {
		int value = digit_value(file->data[i]);

		if (value < 0)
			continue;
		bits = bits << 6 | (unsigned)value;
		count += 6;
		if (count >= 8) {
			count -= 8;
			file->data[length++] = (char)(bits >> count & 0xff);
		}
	}
	file->length = length;
	file->data[length] = '\0';
}

static char *copy(const char *from, size_t length)
{
	char *made = malloc(length + 1);

	if (made) {
		memcpy(made, from, length);
		made[length] = '\0';
	}
	return made;
}

static bool add(struct files *files, const char *name, size_t name_length, const char *data,
		size_t length)
{
	bool is_packed =
	    name_length > PACKED && memcmp(name + name_length - PACKED, packed, PACKED) == 0;
	struct file *file, *list;

	if (files->count == FILES_MAX)
		return false;
	list = realloc(files->list, (files->count + 1) * sizeof(*list));
	if (!list)
		return false;
	files->list = list;
	file = &list[files->count++];
	*file = (struct file){.name = copy(name, name_length - (is_packed ? PACKED : 0)),
			      .data = copy(data, length),
			      .length = length};
	if (!file->name || !file->data)
		return false;
	if (is_packed)
		unpack(file);
	return true;
}

bool files_read(struct files *files, const char *script, size_t length, const char *sole_name)
{
	const char *until = script + length, *name = script;
	size_t name_length = marker_name(script, line_length(script, until));

	if (name_length == 0)
		return add(files, sole_name, strlen(sole_name), script, length);
	while (name_length > 0) {
		const char *data = name + line_length(name, until), *at;
		const char *title = name + BEGIN;
		size_t title_length = name_length;

		data += data < until;
		name_length = 0;
		for (at = data; at < until; at += line_length(at, until) + 1) {
			name_length = marker_name(at, line_length(at, until));
			if (name_length > 0)
				break;
		}
		if (at > until)
			at = until;
		if (!add(files, title, title_length, data, (size_t)(at - data)))
			return false;
		name = at;
	}
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
