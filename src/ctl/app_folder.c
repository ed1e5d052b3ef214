#include "app_folder.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Walks over the app's files, in the order of their names. */
static FTS *open_walk(const char *path)
{
	char *roots[] = {(char *)path, NULL};

	return fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
}

/* The next file; NULL at the end. */
static FTSENT *next_file(FTS *walk)
{
	FTSENT *entry;

	while ((entry = fts_read(walk))) {
		bool is_hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';

		if (is_hidden && entry->fts_info == FTS_D)
			fts_set(walk, entry, FTS_SKIP);
		if (!is_hidden && entry->fts_info == FTS_F)
			return entry;
	}
	return NULL;
}

/* flags: O_NOFOLLOW for what a folder has, since somebody may put a link in its place meanwhile. */
static int read_file(const char *path, int flags, struct buffer *data,
		     char ret_fault[static APP_FAULT_MAX])
{
	enum { PIECE = 64 * 1024 };
	int file = open(path, O_RDONLY | O_CLOEXEC | flags);
	ssize_t length = file < 0 ? -1 : 1;

	while (length > 0 && buffer_length(data) <= APP_SCRIPT_BYTES_MAX) {
		length = read(file, buffer_reserve(data, PIECE), PIECE);
		if (length > 0)
			buffer_commit(data, (size_t)length);
	}
	if (length < 0)
		snprintf(ret_fault, APP_FAULT_MAX, "%s: %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	return length < 0 ? -1 : 0;
}

static void append_base64(struct str data, struct buffer *script)
{
	size_t size = sodium_base64_ENCODED_LEN(data.length, sodium_base64_VARIANT_ORIGINAL);

	sodium_bin2base64(buffer_reserve(script, size), size, (const unsigned char *)data.data,
			  data.length, sodium_base64_VARIANT_ORIGINAL);
	buffer_commit(script, size - 1); /* without the NUL */
	buffer_append_char(script, '\n');
}

/* A text can stand as it is when it ends with a line's end, no line looks like a marker, and a
 * database takes it. */
static bool stands_as_it_is(struct str data)
{
	return data.length > 0 && data.data[data.length - 1] == '\n' && utf8_is_valid(data) &&
	       !memchr(data.data, '\0', data.length) && strncmp(data.data, "-- ", 3) != 0 &&
	       !memmem(data.data, data.length, "\n-- ", 4);
}

static bool ends_with(const char *name, const char *ending)
{
	size_t length = strlen(name), size = strlen(ending);

	return length > size && strcmp(name + length - size, ending) == 0;
}

/* Of a script, where it may be missing: so reviewers can read it. */
static void end_last_line(const char *name, struct buffer *data)
{
	struct str text = buffer_view(data);
	bool is_text = ends_with(name, ".star") || strcmp(name, "manifest.yaml") == 0;

	if (is_text && (text.length == 0 || text.data[text.length - 1] != '\n'))
		buffer_append_char(data, '\n');
}

static int add_file(const char *name, const char *path, struct buffer *script,
		    char ret_fault[static APP_FAULT_MAX])
{
	struct buffer data = {0};
	int status = read_file(path, O_NOFOLLOW | O_NONBLOCK, &data, ret_fault);

	if (status == 0) {
		bool as_is;

		end_last_line(name, &data);
		as_is = stands_as_it_is(buffer_view(&data));
		buffer_printf(script, "-- %s%s --\n", name, as_is ? "" : ";base64");
		if (as_is)
			buffer_append_str(script, buffer_view(&data));
		else
			append_base64(buffer_view(&data), script);
	}
	buffer_finish(&data);
	return status;
}

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
	FTS *walk = open_walk(path);
	int status = walk ? 0 : -1;
	FTSENT *entry;

	while (status == 0 && (entry = next_file(walk)) &&
	       buffer_length(text) <= APP_SCRIPT_BYTES_MAX)
		if (ends_with(entry->fts_name, ".star"))
			status =
			    read_file(entry->fts_accpath, O_NOFOLLOW | O_NONBLOCK, text, ret_fault);
	if (walk)
		fts_close(walk);
	return status;
}

/* Scripts load files by names that stand in them as they are; the library looks for the others. */
static bool is_used(const char *name, struct str scripts)
{
	const char *slash = strrchr(name, '/');
	const char *last = slash ? slash + 1 : name;

	return ends_with(name, ".star") || strcmp(name, "manifest.yaml") == 0 ||
	       strncmp(name, "locales/", 8) == 0 ||
	       (scripts.length > 0 && memmem(scripts.data, scripts.length, last, strlen(last)));
}

/* scripts: only what they use; NULL: all files. */
static int pack_folder(const char *path, const struct str *scripts, struct buffer *script,
		       char ret_fault[static APP_FAULT_MAX])
{
	FTS *walk = open_walk(path);
	int status = walk ? 0 : -1;
	FTSENT *entry;

	while (status == 0 && (entry = next_file(walk)) &&
	       buffer_length(script) <= APP_SCRIPT_BYTES_MAX) {
		const char *name = name_below(path, entry);

		if (!scripts || is_used(name, *scripts))
			status = add_file(name, entry->fts_accpath, script, ret_fault);
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

int app_folder_pack(const char *path, struct buffer *script, char ret_fault[static APP_FAULT_MAX])
{
	struct stat about;
	int status;

	if (stat(path, &about) != 0) {
		snprintf(ret_fault, APP_FAULT_MAX, "%s: %s", path, strerror(errno));
		return -1;
	}
	status = S_ISDIR(about.st_mode) ? pack_folder(path, NULL, script, ret_fault)
					: read_file(path, 0, script, ret_fault);
	return status == 0 && buffer_length(script) > APP_SCRIPT_BYTES_MAX
		   ? fail_size(path, ret_fault)
		   : status;
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
	return status == 0 && buffer_length(script) > APP_SCRIPT_BYTES_MAX
		   ? fail_size(path, ret_fault)
		   : status;
}

static bool is_script(const char *name)
{
	return ends_with(name, ".ts") && !ends_with(name, ".d.ts");
}

/* What is beside an app's scripts and is none of what they import. */
static bool can_be_imported(const char *name)
{
	static const char *const others[] = {"manifest.yaml", "package.json", "tsconfig.json",
					     "LICENSE"};

	for (size_t i = 0; i < array_length(others); i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	return !ends_with(name, ".d.ts") && !ends_with(name, ".md");
}

/* The folder's first script in TypeScript, for free(), and how many files its app has. NULL: the
 * app is in Starlark. */
static char *find_script(const char *path, unsigned *ret_count)
{
	FTS *walk = open_walk(path);
	FTSENT *entry;
	char *found = NULL;
	bool has_starlark = false;

	*ret_count = 0;
	while (walk && (entry = next_file(walk))) {
		has_starlark = has_starlark || ends_with(entry->fts_name, ".star");
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

typedef int pack_function(const char *path, struct buffer *script,
			  char ret_fault[static APP_FAULT_MAX]);

/* pack: for an app in Starlark. */
static int read_with(pack_function *pack, const char *path, struct buffer *script,
		     bool *ret_is_typescript, char ret_fault[static APP_FAULT_MAX])
{
	struct stat about;
	unsigned count = 1;
	char *file = NULL;
	int status;

	if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
		file = find_script(path, &count);
	else if (is_script(path))
		file = memory_strdup(path);
	*ret_is_typescript = file;
	if (file)
		status = app_folder_pack(count > 1 ? path : file, script, ret_fault);
	else
		status = pack(path, script, ret_fault);
	free(file);
	return status;
}

int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char ret_fault[static APP_FAULT_MAX])
{
	return read_with(app_folder_pack, path, script, ret_is_typescript, ret_fault);
}

int app_folder_read_used(const char *path, struct buffer *script, bool *ret_is_typescript,
			 char ret_fault[static APP_FAULT_MAX])
{
	return read_with(pack_used, path, script, ret_is_typescript, ret_fault);
}

/* FNV-1a, over what tells a changed file. */
static uint64_t mix(uint64_t state, uint64_t value)
{
	return (state ^ value) * UINT64_C(1099511628211);
}

uint64_t app_folder_state(const char *path)
{
	uint64_t state = UINT64_C(14695981039346656037);
	FTS *walk = open_walk(path);
	FTSENT *entry;

	if (!walk)
		return 0;
	while ((entry = next_file(walk))) {
		const struct stat *about = entry->fts_statp;

		for (const char *c = entry->fts_path; *c; c++)
			state = mix(state, (unsigned char)*c);
		state = mix(state, (uint64_t)about->st_mtim.tv_sec);
		state = mix(state, (uint64_t)about->st_mtim.tv_nsec);
		state = mix(state, (uint64_t)about->st_size);
		state = mix(state, about->st_ino);
	}
	fts_close(walk);
	return state;
}
