/* displayctl app new: creates a folder with a first app and the types that editors need. */
#include "ctl/ctl.h"
#include "domain/studio.h"
#include "options/options.h"
#include "panel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

struct new_app_file {
	const char *name;
	struct str data;
};

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

/* Creates a file. Returns false with errno if it fails, also if the file exists. */
static bool write_file(int folder, const struct new_app_file *file)
{
	int fd = openat(folder, file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct str left = file->data;

	while (fd >= 0 && left.length > 0) {
		ssize_t written = write(fd, left.data, left.length);

		if (written < 0 && errno != EINTR) {
			int error = errno;

			close(fd);
			unlinkat(folder, file->name, 0);
			errno = error;
			return false;
		}
		if (written > 0)
			left = str_from_offset(left, (size_t)written);
	}
	return fd >= 0 && close(fd) == 0;
}

/* Writes all files, or none. */
static enum ctl_exit write_files(const char *path, const struct new_app_file *files, unsigned count)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned done = 0;
	int error = 0;

	while (folder >= 0 && done < count && write_file(folder, &files[done]))
		done++;
	if (folder < 0 || done < count)
		error = errno;
	for (unsigned i = 0; error != 0 && i < done; i++)
		unlinkat(folder, files[i].name, 0);
	if (folder >= 0)
		close(folder);
	if (error == 0)
		return CTL_DONE;
	return ctl_fail(error == EEXIST ? CTL_REFUSED : CTL_FAILED, "%s/%s: %s", path,
			done < count ? files[done].name : "", strerror(error));
}

/* displayctl app types: prints the types of modules for editors. */
enum ctl_exit ctl_app_types(struct ctl *ctl)
{
	(void)ctl;
	fwrite(panel_types.data, 1, panel_types.length, stdout);
	return CTL_DONE;
}

enum ctl_exit ctl_app_new(struct ctl *ctl)
{
	const char *path = ctl->options.positionals[0];
	bool is_typescript = strcmp(options_text(&ctl->options, "language"), "typescript") == 0;
	bool is_made = mkdir(path, 0777) == 0;
	struct str manifest;
	enum ctl_exit code;

	if (!is_made && errno != EEXIST)
		return ctl_fail(CTL_FAILED, "%s: %s", path, strerror(errno));
	manifest = write_manifest(ctl, path);
	if (is_typescript) {
		const struct new_app_file files[] = {{"main.ts", new_app_typescript},
						     {"panel.d.ts", panel_types},
						     {"tsconfig.json", new_app_config},
						     {"manifest.yaml", manifest}};

		code = write_files(path, files, array_length(files));
	} else {
		const struct new_app_file files[] = {{"main.star", new_app_starlark},
						     {"manifest.yaml", manifest}};

		code = write_files(path, files, array_length(files));
	}
	if (code != CTL_DONE && is_made)
		rmdir(path);
	return code;
}
