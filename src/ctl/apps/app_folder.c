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

/* Files on disk. */
struct disk_folder {
	struct app_folder files;
	char *path; /* the folder, up to its last slash, or "" */
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

static char *join(const struct disk_folder *folder, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s%s", folder->path, name) < 0)
		abort();
	return path;
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Follows a symbolic link only of path itself. */
static void find_below(struct disk_folder *folder, const char *path)
{
	char *roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names);
	FTSENT *entry;

	while (walk && (entry = fts_read(walk))) {
		bool is_hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';

		if (is_hidden && entry->fts_info == FTS_D)
			fts_set(walk, entry, FTS_SKIP);
		if (!is_hidden && entry->fts_info == FTS_F)
			app_folder_add(&folder->files, entry->fts_path + strlen(folder->path));
	}
	if (walk)
		fts_close(walk);
}

static bool is_folder(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
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
static int read_file(const struct app_folder *files, const char *name, bool was_named,
		     struct buffer *data, char ret_fault[static APP_FAULT_MAX])
{
	char *path = join(container_of(files, struct disk_folder, files), name);
	int error = app_file_read(path, was_named, APP_SCRIPT_BYTES_MAX, data);

	if (error < 0)
		snprintf(ret_fault, APP_FAULT_MAX, "%s: %s", path, strerror(-error));
	free(path);
	return error < 0 ? -1 : 0;
}

/* Finds all files of a folder except hidden ones, in the order of their names; or the one file. */
static void find_files(struct disk_folder *ret_folder, const char *path)
{
	const char *own = last_part(path);

	*ret_folder = (struct disk_folder){.files.read = read_file};
	if (is_folder(path)) {
		if (asprintf(&ret_folder->path, "%s%s", path, *own ? "/" : "") < 0)
			abort();
		find_below(ret_folder, path);
	} else {
		ret_folder->path = strndup(path, (size_t)(own - path));
		app_folder_add(&ret_folder->files, own);
	}
}

/* ---- Starlark ---- */

/* Whether the file is reached without symbolic links below the folder, as find_below() reaches
 * files: the others may be of somebody else. */
static bool is_own_file(const struct disk_folder *folder, const char *name)
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
static void add_loaded(struct disk_folder *folder, const char *name)
{
	bool is_new = name[0] && !strchr("/.", name[0]) && !strstr(name, "/.") &&
		      !strpbrk(name, "\\\n\r") && folder->files.count < LOADED_MAX;

	for (unsigned i = 0; is_new && i < folder->files.count; i++)
		is_new = strcmp(folder->files.names[i], name) != 0;
	if (is_new && is_own_file(folder, name))
		app_folder_add(&folder->files, name);
}

/* Adds the file of the next load("NAME", ...) of rest. Returns false if there is none. */
static bool add_next_load(struct disk_folder *folder, struct str *rest)
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
static void add_locales(struct disk_folder *folder)
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
static int follow_loads(struct disk_folder *folder, char ret_fault[static APP_FAULT_MAX])
{
	static const char translations[] = "i18n.star";
	struct buffer text = {0};
	int status = 0;

	for (unsigned i = 0; status == 0 && i < folder->files.count; i++) {
		struct str rest;

		if (!ends_with(folder->files.names[i], ".star"))
			continue;
		buffer_clear(&text);
		status =
		    read_file(&folder->files, folder->files.names[i], i == 0, &text, ret_fault);
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

static int read_named(struct disk_folder *folder, struct buffer *script, bool *ret_is_typescript,
		      char **ret_folder, char ret_fault[static APP_FAULT_MAX])
{
	const char *name = folder->files.names[0];

	*ret_is_typescript = app_pack_is_typescript(name);
	if (!*ret_is_typescript && follow_loads(folder, ret_fault) < 0)
		return -1;
	if (folder->files.count == 1)
		return read_file(&folder->files, name, true, script, ret_fault);
	*ret_folder = memory_strdup(*folder->path ? folder->path : ".");
	return app_pack(&folder->files, true, script, ret_fault);
}

int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char **ret_folder, char ret_fault[static APP_FAULT_MAX])
{
	struct disk_folder folder;
	bool was_named = !is_folder(path);
	int status;

	*ret_folder = was_named ? NULL : memory_strdup(path);
	find_files(&folder, path);
	status = was_named ? read_named(&folder, script, ret_is_typescript, ret_folder, ret_fault)
			   : app_pack_folder(&folder.files, script, ret_is_typescript, ret_fault);
	app_folder_finish(&folder.files);
	free(folder.path);
	if (status == 0 && buffer_length(script) > APP_SCRIPT_BYTES_MAX) {
		snprintf(ret_fault, APP_FAULT_MAX, "%s: is larger than %d MiB", path,
			 APP_SCRIPT_BYTES_MAX >> 20);
		status = -1;
	}
	return status;
}

bool app_folder_manifest(const char *path, struct arena *arena, struct app_manifest *ret_manifest,
			 struct str *ret_why)
{
	struct buffer text = {0};
	int error = app_file_read(path, false, APP_MANIFEST_BYTES_MAX, &text);
	bool is_read = false;

	*ret_manifest = (struct app_manifest){.tags = STR("[]")};
	if (error < 0)
		*ret_why = arena_printf(arena, "manifest.yaml: %s", strerror(-error));
	else
		is_read = app_manifest_parse(buffer_view(&text), arena, ret_manifest, ret_why);
	buffer_finish(&text);
	return is_read;
}
