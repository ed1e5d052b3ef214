#include "checkout/app_pack.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

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

/* ---- packing ---- */

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

int app_pack(const struct app_folder *folder, bool was_named, struct buffer *script,
	     char ret_fault[static APP_FAULT_MAX])
{
	struct buffer data = {0};
	int status = 0;

	for (unsigned i = 0;
	     status == 0 && i < folder->count && buffer_length(script) <= APP_SCRIPT_BYTES_MAX;
	     i++) {
		buffer_clear(&data);
		status =
		    folder->read(folder, folder->names[i], was_named && i == 0, &data, ret_fault);
		end_last_line(folder->names[i], &data);
		append_file(folder->names[i], buffer_view(&data), script);
	}
	buffer_finish(&data);
	return status;
}

/* ---- TypeScript ---- */

bool app_pack_is_typescript(const char *name)
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
		if (!found && app_pack_is_typescript(name))
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
		if (app_pack_is_typescript(folder->names[i]) ||
		    strcmp(folder->names[i], "manifest.yaml") == 0)
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
			status = folder->read(folder, folder->names[i], false, &scripts, ret_fault);
	folder->count = 0;
	for (unsigned i = 0; i < count; i++)
		if (is_used(folder->names[i], buffer_view(&scripts)))
			folder->names[folder->count++] = folder->names[i];
		else
			free(folder->names[i]);
	buffer_finish(&scripts);
	return status;
}

/* ---- a folder ---- */

void app_folder_add(struct app_folder *folder, const char *name)
{
	enum { STEP = 256 };

	if (folder->count % STEP == 0)
		folder->names =
		    memory_realloc(folder->names, (folder->count + STEP) * sizeof(*folder->names));
	folder->names[folder->count++] = memory_strdup(name);
}

void app_folder_finish(struct app_folder *folder)
{
	for (unsigned i = 0; i < folder->count; i++)
		free(folder->names[i]);
	free(folder->names);
	folder->names = NULL;
	folder->count = 0;
}

int app_pack_folder(struct app_folder *folder, struct buffer *script, bool *ret_is_typescript,
		    char ret_fault[static APP_FAULT_MAX])
{
	unsigned count;
	const char *alone = find_script(folder, &count);
	bool packs = !alone || count > 1 || needs_name(folder, alone);

	*ret_is_typescript = alone;
	if (!alone && keep_used(folder, ret_fault) < 0)
		return -1;
	if (alone && packs && count == 1)
		keep_script(folder);
	return packs ? app_pack(folder, false, script, ret_fault)
		     : folder->read(folder, alone, false, script, ret_fault);
}
