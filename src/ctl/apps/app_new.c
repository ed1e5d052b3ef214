/* displayctl app new: a folder with a first app, in which an editor knows the types. */
#include "ctl/ctl.h"
#include "options/options.h"
#include "panel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_MAX = 64 };

struct new_app_file {
	const char *name;
	struct str data;
};

/* The folder's name as an app's ID: small letters, digits, dashes. */
static void make_id(const char *name, char to[static ID_MAX + 1])
{
	size_t length = 0;

	for (; *name && length < ID_MAX; name++) {
		char c = *name;

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			to[length++] = c;
		else if (length > 0 && to[length - 1] != '-')
			to[length++] = '-';
	}
	while (length > 0 && to[length - 1] == '-')
		length--;
	to[length] = '\0';
	if (length == 0)
		snprintf(to, ID_MAX + 1, "app");
}

static void write_manifest(const char *folder, struct buffer *to)
{
	char id[ID_MAX + 1];
	char *path = realpath(folder, NULL);

	make_id(path ? basename(path) : folder, id);
	buffer_printf(to,
		      "---\nid: %s\nname: %s\nsummary: Says hello\ndesc: Greets whom you like.\n"
		      "author: Anonymous\n",
		      id, id);
	free(path);
}

/* A file that was not there. False: errno says why. */
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

/* All files, or none. */
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

enum ctl_exit ctl_app_new(struct ctl *ctl)
{
	const char *path = ctl->options.positionals[0];
	bool is_typescript = strcmp(options_text(&ctl->options, "language"), "typescript") == 0;
	bool is_made = mkdir(path, 0777) == 0;
	struct buffer manifest = {0};
	enum ctl_exit code;

	if (!is_made && errno != EEXIST)
		return ctl_fail(CTL_FAILED, "%s: %s", path, strerror(errno));
	write_manifest(path, &manifest);
	if (is_typescript) {
		const struct new_app_file files[] = {{"main.ts", new_app_typescript},
						     {"panel.d.ts", panel_types},
						     {"tsconfig.json", new_app_config},
						     {"manifest.yaml", buffer_view(&manifest)}};

		code = write_files(path, files, array_length(files));
	} else {
		const struct new_app_file files[] = {{"main.star", new_app_starlark},
						     {"manifest.yaml", buffer_view(&manifest)}};

		code = write_files(path, files, array_length(files));
	}
	buffer_finish(&manifest);
	if (code != CTL_DONE && is_made)
		rmdir(path);
	return code;
}
