#include "app_folder.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/stat.h>
#include <text/utf8.h>
#include <unistd.h>

enum { LOADED_MAX = 2000 };

/* Files, by their paths relative to a folder. */
struct app_folder {
	char *path; /* the folder, up to its last slash, or "" */
	char **names;
	unsigned count;
};

/* ---- names ---- */

static bool ends_with(const char *name, const char *ending)
{
	return strlen(name) > strlen(ending) && str_ends_with(str_from(name), str_from(ending));
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static char *join(const struct app_folder *folder, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s%s", folder->path, name) < 0)
		abort();
	return path;
}

static void app_folder_add(struct app_folder *folder, const char *name)
{
	enum { STEP = 256 };

	if (folder->count % STEP == 0)
		folder->names =
		    memory_realloc(folder->names, (folder->count + STEP) * sizeof(*folder->names));
	folder->names[folder->count++] = memory_strdup(name);
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Follows a symbolic link only of path itself. */
static void find_below(struct app_folder *folder, const char *path)
{
	char *roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names);
	FTSENT *entry;

	while (walk && (entry = fts_read(walk))) {
		bool is_hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';

		if (is_hidden && entry->fts_info == FTS_D)
			fts_set(walk, entry, FTS_SKIP);
		if (!is_hidden && entry->fts_info == FTS_F)
			app_folder_add(folder, entry->fts_path + strlen(folder->path));
	}
	if (walk)
		fts_close(walk);
}

static bool is_folder(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Finds all files of a folder except hidden ones, in the order of their names; or the one file. */
static void find_files(struct app_folder *ret_folder, const char *path)
{
	const char *own = last_part(path);

	*ret_folder = (struct app_folder){0};
	if (is_folder(path)) {
		if (asprintf(&ret_folder->path, "%s%s", path, *own ? "/" : "") < 0)
			abort();
		find_below(ret_folder, path);
	} else {
		ret_folder->path = strndup(path, (size_t)(own - path));
		app_folder_add(ret_folder, own);
	}
}

static void app_folder_finish(struct app_folder *folder)
{
	for (unsigned i = 0; i < folder->count; i++)
		free(folder->names[i]);
	free(folder->names);
	free(folder->path);
}

/* ---- reading ---- */

int app_file_read(const char *path, bool was_named, size_t bytes_max, struct buffer *data)
{
	enum { PIECE = 64 * 1024 };
	int file = open(path, O_RDONLY | O_CLOEXEC | (was_named ? 0 : O_NOFOLLOW | O_NONBLOCK));
	ssize_t length = file < 0 ? -1 : 1;
	int error;

	while (length > 0 && buffer_length(data) <= bytes_max) {
		length = read(file, buffer_reserve(data, PIECE), PIECE);
		if (length > 0)
			buffer_commit(data, (size_t)length);
	}
	error = length < 0 ? -errno : 0;
	if (file >= 0)
		close(file);
	return error;
}

/* Appends the file's content, until it exceeds the size of an app. Returns 0, or -1 with a sentence
 * in ret_fault. */
static int read_file(const struct app_folder *folder, const char *name, bool was_named,
		     struct buffer *data, char ret_fault[static APP_FAULT_MAX])
{
	char *path = join(folder, name);
	int error = app_file_read(path, was_named, APP_SCRIPT_BYTES_MAX, data);

	if (error < 0)
		snprintf(ret_fault, APP_FAULT_MAX, "%s: %s", path, strerror(-error));
	free(path);
	return error < 0 ? -1 : 0;
}

/* Adds a missing line feed at the end of a script or a manifest, so that it is stored as text,
 * which reviewers can read. */
static void end_last_line(const char *name, struct buffer *data)
{
	struct str text = buffer_view(data);
	bool is_text = ends_with(name, ".star") || ends_with(name, ".ts") ||
		       strcmp(name, "manifest.yaml") == 0;

	if (is_text && (text.length == 0 || text.data[text.length - 1] != '\n'))
		buffer_append_char(data, '\n');
}

/* Whether a file can be stored as text: it ends with a line feed, no line looks like a txtar
 * marker, and PostgreSQL accepts its bytes. */
static bool stands_as_it_is(struct str data)
{
	return data.length > 0 && data.data[data.length - 1] == '\n' && utf8_is_valid(data) &&
	       !memchr(data.data, '\0', data.length) && strncmp(data.data, "-- ", 3) != 0 &&
	       !memmem(data.data, data.length, "\n-- ", 4);
}

/* Appends the file as one of several, in txtar form; as base64 if it cannot be stored as text. */
static void append_file(const char *name, struct str data, struct buffer *script)
{
	bool as_is = stands_as_it_is(data);

	buffer_printf(script, "-- %s%s --\n", name, as_is ? "" : ";base64");
	if (as_is) {
		buffer_append_str(script, data);
		return;
	}
	buffer_append_base64(script, data);
	buffer_append_char(script, '\n');
}

static int pack(const struct app_folder *folder, bool was_named, struct buffer *script,
		char ret_fault[static APP_FAULT_MAX])
{
	struct buffer data = {0};
	int status = 0;

	for (unsigned i = 0;
	     status == 0 && i < folder->count && buffer_length(script) <= APP_SCRIPT_BYTES_MAX;
	     i++) {
		buffer_clear(&data);
		status = read_file(folder, folder->names[i], was_named && i == 0, &data, ret_fault);
		end_last_line(folder->names[i], &data);
		append_file(folder->names[i], buffer_view(&data), script);
	}
	buffer_finish(&data);
	return status;
}

/* ---- TypeScript ---- */

static bool is_script(const char *name)
{
	return ends_with(name, ".ts") && !ends_with(name, ".d.ts");
}

/* Whether scripts may import the file: not the files that only accompany them. */
static bool can_be_imported(const char *path)
{
	static const char *const others[] = {"manifest.yaml", "package.json", "tsconfig.json",
					     "LICENSE"};
	const char *name = last_part(path);

	for (size_t i = 0; i < array_length(others); i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	return !ends_with(name, ".d.ts") && !ends_with(name, ".md");
}

/* Returns the first script, and the number of files that may be imported. Returns NULL if the app
 * is in Starlark. */
static const char *find_script(const struct app_folder *folder, unsigned *ret_count)
{
	const char *found = NULL;

	*ret_count = 0;
	for (unsigned i = 0; i < folder->count; i++) {
		const char *name = folder->names[i];

		if (ends_with(name, ".star"))
			return NULL;
		if (!found && is_script(name))
			found = name;
		*ret_count += can_be_imported(name);
	}
	return found;
}

/* Whether the only script of a folder goes with its name: errors are to name it, and a manifest
 * goes with it. Without a name it is app.ts. */
static bool needs_name(const struct app_folder *folder, const char *script)
{
	if (strchr(script, '/'))
		return false;
	for (unsigned i = 0; i < folder->count; i++)
		if (strcmp(folder->names[i], "manifest.yaml") == 0)
			return true;
	return strcmp(script, "app.ts") != 0;
}

/* Removes files that the only script of a folder does not need from the list. */
static void keep_script(struct app_folder *folder)
{
	unsigned count = folder->count;

	folder->count = 0;
	for (unsigned i = 0; i < count; i++)
		if (is_script(folder->names[i]) || strcmp(folder->names[i], "manifest.yaml") == 0)
			folder->names[folder->count++] = folder->names[i];
		else
			free(folder->names[i]);
}

/* ---- Starlark ---- */

/* Whether a script may load the file. Files of other types are loaded by names that scripts contain
 * literally. */
static bool is_used(const char *name, struct str scripts)
{
	const char *last = last_part(name);

	return ends_with(name, ".star") || strcmp(name, "manifest.yaml") == 0 ||
	       strncmp(name, "locales/", 8) == 0 ||
	       (scripts.length > 0 && memmem(scripts.data, scripts.length, last, strlen(last)));
}

/* Removes files that nothing can load from the list. */
static int keep_used(struct app_folder *folder, char ret_fault[static APP_FAULT_MAX])
{
	unsigned count = folder->count;
	struct buffer scripts = {0};
	int status = 0;

	for (unsigned i = 0;
	     status == 0 && i < count && buffer_length(&scripts) <= APP_SCRIPT_BYTES_MAX; i++)
		if (ends_with(folder->names[i], ".star"))
			status = read_file(folder, folder->names[i], false, &scripts, ret_fault);
	folder->count = 0;
	for (unsigned i = 0; i < count; i++)
		if (is_used(folder->names[i], buffer_view(&scripts)))
			folder->names[folder->count++] = folder->names[i];
		else
			free(folder->names[i]);
	buffer_finish(&scripts);
	return status;
}

/* Whether the file is reached without symbolic links below the folder, as find_below() reaches
 * files: the others may be of somebody else. */
static bool is_own_file(const struct app_folder *folder, const char *name)
{
	char *path = join(folder, name), *wanted = NULL;
	char *real_path = realpath(path, NULL);
	char *real_folder = realpath(*folder->path ? folder->path : ".", NULL);
	struct stat about;
	bool is_own;

	if (real_folder && asprintf(&wanted, "%s/%s", real_folder[1] ? real_folder : "", name) < 0)
		abort();
	is_own = real_path && wanted && strcmp(real_path, wanted) == 0 &&
		 lstat(path, &about) == 0 && S_ISREG(about.st_mode);
	free(wanted);
	free(real_folder);
	free(real_path);
	free(path);
	return is_own;
}

/* Adds a file that a script names, if it is a file below the folder that is not hidden. */
static void add_loaded(struct app_folder *folder, const char *name)
{
	bool is_new = name[0] && !strchr("/.", name[0]) && !strstr(name, "/.") &&
		      !strpbrk(name, "\\\n\r") && folder->count < LOADED_MAX;

	for (unsigned i = 0; is_new && i < folder->count; i++)
		is_new = strcmp(folder->names[i], name) != 0;
	if (is_new && is_own_file(folder, name))
		app_folder_add(folder, name);
}

/* Adds the file of the next load("NAME", ...) of rest. Returns false if there is none. */
static bool add_next_load(struct app_folder *folder, struct str *rest)
{
	const char *at = rest->length ? memmem(rest->data, rest->length, "load(", 5) : NULL;
	struct str text;
	char *name;

	if (!at)
		return false;
	text = *rest = str_from_offset(*rest, (size_t)(at - rest->data) + 5);
	while (text.length && strchr(" \t\r\n", text.data[0]))
		text = str_from_offset(text, 1);
	if (!text.length || !strchr("\"'", text.data[0]))
		return true;
	text.length = str_find(str_from_offset(text, 1), text.data[0]) + 1;
	text = str_from_offset(text, str_starts_with(str_from_offset(text, 1), STR("./")) ? 3 : 1);
	name = strndup(text.data, text.length);
	add_loaded(folder, name);
	free(name);
	return true;
}

static int is_translation(const struct dirent *entry)
{
	return ends_with(entry->d_name, ".json");
}

/* Adds the translations, which are not below other folders. */
static void add_locales(struct app_folder *folder)
{
	char *path = join(folder, "locales");
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_translation, alphasort);

	for (int i = 0; i < count; i++) {
		char *name = NULL;

		if (asprintf(&name, "locales/%s", entries[i]->d_name) < 0)
			abort();
		add_loaded(folder, name);
		free(name);
		free(entries[i]);
	}
	free(entries);
	free(path);
}

/* Adds the files that the named script loads, directly or through others. */
static int follow_loads(struct app_folder *folder, char ret_fault[static APP_FAULT_MAX])
{
	static const char translations[] = "i18n.star";
	struct buffer text = {0};
	int status = 0;

	for (unsigned i = 0; status == 0 && i < folder->count; i++) {
		struct str rest;

		if (!ends_with(folder->names[i], ".star"))
			continue;
		buffer_clear(&text);
		status = read_file(folder, folder->names[i], i == 0, &text, ret_fault);
		rest = buffer_view(&text);
		if (rest.length == 0 || strncmp(rest.data, "-- ", 3) == 0)
			continue; /* a txtar file: contains all its files */
		if (memmem(rest.data, rest.length, translations, strlen(translations)))
			add_locales(folder);
		while (add_next_load(folder, &rest))
			;
	}
	buffer_finish(&text);
	return status;
}

/* ---- an app ---- */

static int read_found(const char *path, struct app_folder *folder, struct buffer *script,
		      bool *ret_is_typescript, char **ret_folder,
		      char ret_fault[static APP_FAULT_MAX])
{
	bool was_named = !is_folder(path), packs = !was_named;
	unsigned count;
	const char *alone = find_script(folder, &count);
	int status = 0;

	*ret_is_typescript = alone;
	if (alone) {
		packs = count > 1 || (!was_named && needs_name(folder, alone));
		if (packs && count == 1)
			keep_script(folder);
	} else if (!was_named) {
		status = keep_used(folder, ret_fault);
	} else {
		alone = folder->names[0];
		status = follow_loads(folder, ret_fault);
		packs = folder->count > 1;
	}
	if (!was_named)
		*ret_folder = memory_strdup(path);
	else if (packs)
		*ret_folder = memory_strdup(*folder->path ? folder->path : ".");
	if (status == 0)
		status = packs ? pack(folder, was_named, script, ret_fault)
			       : read_file(folder, alone, was_named, script, ret_fault);
	return status;
}

int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char **ret_folder, char ret_fault[static APP_FAULT_MAX])
{
	struct app_folder folder;
	int status;

	*ret_folder = NULL;
	find_files(&folder, path);
	status = read_found(path, &folder, script, ret_is_typescript, ret_folder, ret_fault);
	app_folder_finish(&folder);
	if (status == 0 && buffer_length(script) > APP_SCRIPT_BYTES_MAX) {
		snprintf(ret_fault, APP_FAULT_MAX, "%s: is larger than %d MiB", path,
			 APP_SCRIPT_BYTES_MAX >> 20);
		status = -1;
	}
	return status;
}
