#include "app_folder.h"
#include "app_import_steps.h"
#include "base/memory.h"

#include <errno.h>
#include <fts.h>
#include <sys/stat.h>
#include <text/utf8.h>

enum { DEPTH_MAX = 8 };

static struct import_app *add_app(struct import *import)
{
	enum { STEP = 256 };

	if (import->count % STEP == 0)
		import->apps =
		    memory_realloc(import->apps, (import->count + STEP) * sizeof(*import->apps));
	import->apps[import->count] = (struct import_app){0};
	return &import->apps[import->count++];
}

static void read_app(struct import *import, const char *root, const char *path)
{
	struct import_app *app = add_app(import);
	struct str name = arena_copy(&app->arena, str_from(path)), why;

	app->path = name.data;
	if (str_starts_with(name, str_from(root)) && name.length > strlen(root))
		name = str_from_offset(name, strlen(root));
	while (name.length > 1 && name.data[0] == '/')
		name = str_from_offset(name, 1);
	app->name = name;
	if (!utf8_is_valid(name))
		import_fail(app, STR("its folder's name is not UTF-8"));
	else if (!app_folder_manifest(arena_printf(&app->arena, "%s/manifest.yaml", path).data,
				      &app->arena, &app->manifest, &why))
		import_fail(app, why);
	import_app_describe(app);
}

static bool has_manifest(const char *folder)
{
	struct stat about;
	char *path = NULL;
	bool has;

	if (asprintf(&path, "%s/manifest.yaml", folder) < 0)
		abort();
	has = lstat(path, &about) == 0 && S_ISREG(about.st_mode);
	free(path);
	return has;
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

enum ctl_exit import_scan(struct import *import, const char *path)
{
	char *roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
	FTSENT *entry;
	int fault = 0;

	while (walk && (entry = fts_read(walk))) {
		bool is_hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';

		if (entry->fts_level == 0 && entry->fts_info != FTS_DP)
			fault = entry->fts_info == FTS_D ? 0
				: entry->fts_errno	 ? entry->fts_errno
							 : ENOTDIR;
		if (entry->fts_info != FTS_D)
			continue;
		if (!is_hidden && has_manifest(entry->fts_path))
			read_app(import, path, entry->fts_path);
		else if (!is_hidden && entry->fts_level < DEPTH_MAX)
			continue;
		fts_set(walk, entry, FTS_SKIP);
	}
	if (walk)
		fts_close(walk);
	if (fault)
		return ctl_fail(CTL_NOT_FOUND, "%s: %s", path, strerror(fault));
	if (import->count == 0)
		return ctl_fail(CTL_NOT_FOUND, "%s: has no folder with a manifest.yaml", path);
	return CTL_DONE;
}
