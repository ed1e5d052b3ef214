#include "app_import_steps.h"
#include "base/memory.h"
#include "domain/studio.h"

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

/* Makes a slug of a name; false: nothing remains. */
static bool make_slug(const char *name, char ret_slug[static IMPORT_SLUG_BYTES])
{
	size_t length = 0;

	for (; *name && length < IMPORT_SLUG_BYTES - 1; name++) {
		char c = *name;

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			ret_slug[length++] = c;
		else if (length > 0 && ret_slug[length - 1] != '-')
			ret_slug[length++] = '-';
	}
	while (length > 0 && ret_slug[length - 1] == '-')
		length--;
	ret_slug[length] = '\0';
	if (length > 0 && !app_slug_check(str_from(ret_slug)))
		return true;
	ret_slug[0] = '\0';
	return false;
}

static void make_slugs(struct import_app *app)
{
	const char *slash = strrchr(app->name, '/');
	const char *names[IMPORT_SLUGS_MAX] = {app->manifest.id, app->manifest.package,
					       slash ? slash + 1 : app->name};
	unsigned count = 0;

	for (unsigned i = 0; i < IMPORT_SLUGS_MAX; i++)
		if (names[i] && make_slug(names[i], app->slugs[count]))
			count++;
	if (count == 0)
		import_fail(app, "its name has no letters a to z and no digits");
}

/* The summary, and what the description says beyond it. */
static char *make_description(const struct app_manifest *manifest)
{
	const char *summary = manifest->summary, *more = manifest->description;
	char *text = NULL;

	if (!summary || !more || strncasecmp(summary, more, strlen(summary)) == 0)
		return memory_strdup(more ? more : summary ? summary : "");
	if (asprintf(&text, "%s\n%s", summary, more) < 0)
		abort();
	if (utf8_length(str_from(text)) <= APP_DESCRIPTION_LENGTH_MAX)
		return text;
	free(text);
	return memory_strdup(summary);
}

static void read_app(struct import *import, const char *root, const char *path)
{
	struct import_app *app = add_app(import);
	char fault[MANIFEST_FAULT_MAX], *file = NULL;

	app->path = memory_strdup(path);
	app->name = app->path;
	if (strncmp(path, root, strlen(root)) == 0 && strlen(path) > strlen(root))
		app->name += strlen(root);
	while (app->name[0] == '/' && app->name[1])
		app->name++;
	if (asprintf(&file, "%s/manifest.yaml", path) < 0)
		abort();
	if (!utf8_is_valid(str_from(app->name)))
		import_fail(app, "its folder's name is not UTF-8");
	else if (app_manifest_read(file, &app->manifest, fault) < 0)
		import_fail(app, "%s", fault);
	free(file);
	app->origin = app->manifest.id ? app->manifest.id : app->name;
	app->description = make_description(&app->manifest);
	if (app->outcome == IMPORT_WAITS)
		make_slugs(app);
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
