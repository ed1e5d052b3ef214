/* Finds the source locations of imports of missing modules and names. The engine resolves imports
 * before anything runs, so it reports no location. */
#include "run.h"

#include "source_map.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 256 };

void imports_resolve(const struct run *run, const char *base, const char *name,
		     char to[static IMPORT_PATH_MAX])
{
	const char *slash = strrchr(base, '/');
	size_t folder = slash ? (size_t)(slash - base) : 0;
	const struct file *file;

	if (name[0] != '.')
		folder = 0;
	for (bool is_leading = name[0] == '.'; is_leading;) {
		if (strncmp(name, "./", 2) == 0) {
			name += 2;
		} else if (strncmp(name, "../", 3) == 0 && folder > 0) {
			name += 3;
			while (folder > 0 && base[--folder] != '/')
				;
		} else {
			is_leading = false;
		}
	}
	snprintf(to, IMPORT_PATH_MAX, "%.*s%s%s", (int)folder, base, folder > 0 ? "/" : "", name);
	file = files_find(&run->files, to);
	if (file)
		snprintf(to, IMPORT_PATH_MAX, "%s", file->name);
}

/* Returns the source location of a position in the file, in the script without types. */
static struct source_location find_location(const struct file *file, const char *at)
{
	struct source_location location = {file, 1, 1};

	for (const char *c = file->data; c < at; c++) {
		location.line += *c == '\n';
		location.column = *c == '\n' ? 1 : location.column + 1;
	}
	return location;
}

static bool follows(const char *begin, const char *at, const char *word)
{
	size_t length = strlen(word);

	while (at > begin && at[-1] == ' ')
		at--;
	return (size_t)(at - begin) >= length && memcmp(at - length, word, length) == 0;
}

bool imports_find(const struct file *file, const char *name, struct source_location *ret_location)
{
	char quoted[NAME_MAX_BYTES + 3];
	const char *at = file->data;

	if (strlen(name) > NAME_MAX_BYTES)
		return false;
	snprintf(quoted, sizeof(quoted), "\"%s\"", name);
	while ((at = strstr(at, quoted))) {
		if (follows(file->data, at, "from") || follows(file->data, at, "import") ||
		    follows(file->data, at, "import(")) {
			*ret_location = find_location(file, at);
			return true;
		}
		at++;
	}
	return false;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Finds the word in the text; NULL: not found. */
static const char *find_word(const char *text, const char *end, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, length)); at++)
		if (!is_name(at[length]) && (at == text || !is_name(at[-1])))
			return at;
	return NULL;
}

/* Finds the name in the statements that import it from the module: the compiler begins lines with
 * them. */
static const char *find_import(const struct run *run, const struct file *file, const char *name,
			       const char *module)
{
	for (const char *line = file->data; line; line = strchr(line, '\n')) {
		char specifier[NAME_MAX_BYTES], path[IMPORT_PATH_MAX];
		const char *from, *word;

		line += *line == '\n';
		if (strncmp(line, "import ", 7) != 0 && strncmp(line, "export ", 7) != 0)
			continue;
		from = strstr(line, " from \"");
		if (!from || sscanf(from, " from \"%255[^\"]", specifier) != 1)
			continue;
		imports_resolve(run, file->name, specifier, path);
		word = find_word(line + 7, from, name);
		if (word && strcmp(path, module) == 0)
			return word;
	}
	return NULL;
}

bool imports_find_missing(const struct run *run, const char *message,
			  struct source_location *ret_location)
{
	char name[NAME_MAX_BYTES], module[IMPORT_PATH_MAX];

	if (sscanf(message, "Could not find export '%255[^']' in module '%511[^']'", name,
		   module) != 2)
		return false;
	for (unsigned i = 0; i < run->files.count; i++) {
		const struct file *file = &run->files.list[i];
		const char *at =
		    file_has_ending(file, ".ts") ? find_import(run, file, name, module) : NULL;

		if (at) {
			*ret_location = find_location(file, at);
			return true;
		}
	}
	return false;
}
