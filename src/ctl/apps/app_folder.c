#include "app_folder.h"

#include "app_beside.h"
#include "app_disk.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* A file's name below the folder. */
static const char *name_below(const char *path, const FTSENT *entry)
{
	const char *name = entry->fts_path + strlen(path);

	while (*name == '/')
		name++;
	return name;
}

/* All scripts in Starlark, one behind the other. */
static int read_scripts(const char *path, struct buffer *text, char ret_fault[static APP_FAULT_MAX])
{
	FTS *walk = app_disk_walk(path);
	int status = walk ? 0 : -1;
	FTSENT *entry;

	while (status == 0 && (entry = app_disk_next(walk)) &&
	       buffer_length(text) <= APP_SCRIPT_BYTES_MAX)
		if (app_disk_ends_with(entry->fts_name, ".star"))
			status = app_disk_read(entry->fts_accpath, O_NOFOLLOW, text, ret_fault);
	if (walk)
		fts_close(walk);
	return status;
}

/* Scripts load files by names that stand in them as they are; the library looks for the others. */
static bool is_used(const char *name, struct str scripts)
{
	const char *slash = strrchr(name, '/');
	const char *last = slash ? slash + 1 : name;

	return app_disk_ends_with(name, ".star") || strcmp(name, "manifest.yaml") == 0 ||
	       strncmp(name, "locales/", 8) == 0 ||
	       (scripts.length > 0 && memmem(scripts.data, scripts.length, last, strlen(last)));
}

/* scripts: only what they use; NULL: all files. */
static int pack_folder(const char *path, const struct str *scripts, struct buffer *script,
		       char ret_fault[static APP_FAULT_MAX])
{
	FTS *walk = app_disk_walk(path);
	int status = walk ? 0 : -1;
	FTSENT *entry;

	while (status == 0 && (entry = app_disk_next(walk)) &&
	       buffer_length(script) <= APP_SCRIPT_BYTES_MAX) {
		const char *name = name_below(path, entry);

		if (!scripts || is_used(name, *scripts))
			status =
			    app_disk_add(name, entry->fts_accpath, O_NOFOLLOW, script, ret_fault);
	}
	if (walk)
		fts_close(walk);
	return status;
}

static int fail_size(const char *path, char ret_fault[static APP_FAULT_MAX])
{
	snprintf(ret_fault, APP_FAULT_MAX, "%s: is larger than %d MiB", path,
		 APP_SCRIPT_BYTES_MAX >> 20);
	return -1;
}

static int pack_all(const char *path, struct buffer *script, char ret_fault[static APP_FAULT_MAX])
{
	struct stat about;
	int status;

	if (stat(path, &about) != 0) {
		snprintf(ret_fault, APP_FAULT_MAX, "%s: %s", path, strerror(errno));
		return -1;
	}
	status = S_ISDIR(about.st_mode) ? pack_folder(path, NULL, script, ret_fault)
					: app_disk_read(path, 0, script, ret_fault);
	return status;
}

static int pack_used(const char *path, struct buffer *script, char ret_fault[static APP_FAULT_MAX])
{
	struct buffer scripts = {0};
	struct str view;
	int status = read_scripts(path, &scripts, ret_fault);

	view = buffer_view(&scripts);
	if (status == 0)
		status = pack_folder(path, &view, script, ret_fault);
	buffer_finish(&scripts);
	return status;
}

static bool is_script(const char *name)
{
	return app_disk_ends_with(name, ".ts") && !app_disk_ends_with(name, ".d.ts");
}

/* Whether scripts may import the file: not the files that only accompany them. */
static bool can_be_imported(const char *name)
{
	static const char *const others[] = {"manifest.yaml", "package.json", "tsconfig.json",
					     "LICENSE"};

	for (size_t i = 0; i < array_length(others); i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	return !app_disk_ends_with(name, ".d.ts") && !app_disk_ends_with(name, ".md");
}

/* The folder's first script in TypeScript, for free(), and how many files its app has. NULL: the
 * app is in Starlark. */
static char *find_script(const char *path, unsigned *ret_count)
{
	FTS *walk = app_disk_walk(path);
	FTSENT *entry;
	char *found = NULL;
	bool has_starlark = false;

	*ret_count = 0;
	while (walk && (entry = app_disk_next(walk))) {
		has_starlark = has_starlark || app_disk_ends_with(entry->fts_name, ".star");
		if (is_script(entry->fts_name) && !found)
			found = memory_strdup(entry->fts_path);
		*ret_count += can_be_imported(entry->fts_name);
	}
	if (walk)
		fts_close(walk);
	if (!has_starlark)
		return found;
	free(found);
	return NULL;
}

/* An app in Starlark. */
static int pack_starlark(const char *path, bool is_folder, struct buffer *script,
			 char ret_fault[static APP_FAULT_MAX])
{
	if (is_folder)
		return pack_used(path, script, ret_fault);
	return app_disk_ends_with(path, ".star") ? app_beside_pack(path, script, ret_fault)
						 : pack_all(path, script, ret_fault);
}

int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char ret_fault[static APP_FAULT_MAX])
{
	struct stat about;
	bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
	unsigned count = 1;
	char *file = NULL;
	int status;

	if (is_folder)
		file = find_script(path, &count);
	else if (is_script(path))
		file = memory_strdup(path);
	*ret_is_typescript = file;
	status = file ? pack_all(count > 1 ? path : file, script, ret_fault)
		      : pack_starlark(path, is_folder, script, ret_fault);
	free(file);
	if (status == 0 && buffer_length(script) > APP_SCRIPT_BYTES_MAX)
		return fail_size(path, ret_fault);
	return status;
}

uint64_t app_folder_state(const char *path)
{
	const uint64_t state = UINT64_C(14695981039346656037);
	struct stat about;
	bool is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode);

	return is_file && app_disk_ends_with(path, ".star") ? app_beside_add_state(path, state)
							    : app_disk_add_state(path, state);
}
