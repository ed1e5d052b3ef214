/* displayctl app new: creates a folder with a first app and the types that editors need. */
#include "ctl/ctl.h"
#include "domain/studio.h"
#include "options/options.h"
#include "panel_types.h"

#include <errno.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *folder, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		abort();
	return path;
}

void new_app_remove(const char *folder, const struct new_app_file *files, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char *path = join(folder, files[i].name);

		unlink(path);
		free(path);
	}
}

enum ctl_exit new_app_write(const char *folder, const struct new_app_file *files, unsigned count,
			    struct reason *reterr)
{
	for (unsigned i = 0; i < count; i++) {
		char *path = join(folder, files[i].name);
		FILE *file = fopen(path, "wxe");
		bool is_made = file;
		bool is_written = file && fwrite(files[i].data.data, 1, files[i].data.length,
						 file) == files[i].data.length;
		enum ctl_exit code = CTL_DONE;

		if (file && fclose(file) != 0)
			is_written = false;
		if (!is_written) {
			code = errno == EEXIST ? CTL_REFUSED : CTL_FAILED;
			reason_set(reterr, "%s: %s", path, strerror(errno));
		}
		free(path);
		if (is_written)
			continue;
		new_app_remove(folder, files, i + is_made);
		return code;
	}
	return CTL_DONE;
}

static struct str write_manifest(struct ctl *ctl, const char *folder)
{
	char *path = realpath(folder, NULL);
	struct str id = app_slug_of(str_from(path ? basename(path) : folder), &ctl->arena);

	free(path);
	if (!id.length)
		id = STR("app");
	return arena_printf(&ctl->arena,
			    "---\nid: %.*s\nname: %.*s\nsummary: Says hello\n"
			    "desc: Greets whom you like.\nauthor: Anonymous\n",
			    STR_ARG(id), STR_ARG(id));
}

/* displayctl app types: prints the types of modules for editors. */
enum ctl_exit ctl_app_types(struct ctl *ctl)
{
	(void)ctl;
	fwrite(panel_types.data, 1, panel_types.length, stdout);
	return CTL_DONE;
}

static enum ctl_exit write_app(struct ctl *ctl, const char *path, bool is_typescript)
{
	const struct new_app_file files[] = {
	    {"manifest.yaml", write_manifest(ctl, path)},
	    is_typescript ? (struct new_app_file){"main.ts", new_app_typescript}
			  : (struct new_app_file){"main.star", new_app_starlark},
	    {"panel.d.ts", panel_types},
	    {"tsconfig.json", new_app_config}};

	struct reason why;
	enum ctl_exit code = new_app_write(path, files, is_typescript ? 4 : 2, &why);

	return code == CTL_DONE ? code : ctl_fail(code, "%s", why.text);
}

enum ctl_exit ctl_app_new(struct ctl *ctl)
{
	const char *path = ctl->options.positionals[0];
	bool is_typescript = strcmp(options_text(&ctl->options, "language"), "typescript") == 0;
	bool is_made = mkdir(path, 0777) == 0;
	enum ctl_exit code;

	if (!is_made && errno != EEXIST)
		return ctl_fail(CTL_FAILED, "%s: %s", path, strerror(errno));
	code = write_app(ctl, path, is_typescript);
	if (code != CTL_DONE && is_made)
		rmdir(path);
	return code;
}
