#include "app_types_check.h"

#include "app_folder.h"
#include "base/memory.h"
#include "ctl/ctl.h"
#include "panel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yyjson.h>

enum { OUTPUT_MAX = 256 << 10, PIECE = 16 << 10, TSC_FOUND_ERRORS = 2 };

static const char *const config_files[] = {"panel.d.ts", "options.json", "tsconfig.json"};

/* Writes tsc's configuration: the app's scripts, and our own types instead of a copy in the app's
 * folder. */
static void write_list(const char *path, struct buffer *to)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *files = yyjson_mut_arr(doc);
	struct app_folder folder;
	char *text;

	yyjson_mut_doc_set_root(doc, root);
	yyjson_mut_obj_add_str(doc, root, "extends", "./options.json");
	yyjson_mut_obj_add_val(doc, root, "files", files);
	yyjson_mut_arr_add_str(doc, files, "./panel.d.ts");
	app_folder_find(&folder, path);
	for (unsigned i = 0; i < folder.count; i++) {
		char *name = app_folder_join(&folder, folder.names[i]), *full = NULL;

		if (app_file_ends_with(name, ".ts") && !app_file_ends_with(name, "/panel.d.ts") &&
		    strcmp(name, "panel.d.ts") != 0)
			full = realpath(name, NULL);
		if (full)
			yyjson_mut_arr_add_strcpy(doc, files, full);
		free(full);
		free(name);
	}
	app_folder_finish(&folder);
	text = yyjson_mut_write(doc, 0, NULL);
	buffer_append_str(to, str_from(text ? text : "{}"));
	free(text);
	yyjson_mut_doc_free(doc);
}

static bool write_file(int folder, const char *name, struct str data)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool written = fd >= 0 && write(fd, data.data, data.length) == (ssize_t)data.length;

	if (fd >= 0)
		close(fd);
	return written;
}

/* Creates a temporary folder for tsc. Returns false with errno if it fails. to: the folder's path.
 */
static bool make_folder(const char *path, char to[static PATH_MAX])
{
	const char *parent = getenv("TMPDIR");
	struct buffer list = {0};
	int folder;
	bool made;

	snprintf(to, PATH_MAX, "%s/displayctl-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(to))
		return false;
	write_list(path, &list);
	folder = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	made = folder >= 0 && write_file(folder, config_files[0], panel_types) &&
	       write_file(folder, config_files[1], new_app_config) &&
	       write_file(folder, config_files[2], buffer_view(&list));
	if (folder >= 0)
		close(folder);
	buffer_finish(&list);
	return made;
}

static void remove_folder(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; folder >= 0 && i < array_length(config_files); i++)
		unlinkat(folder, config_files[i], 0);
	if (folder >= 0)
		close(folder);
	rmdir(path);
}

/* Runs tsc. Returns its exit status, or -1 with errno if it did not start. */
static int run_tsc(const char *folder, struct buffer *output)
{
	char *arguments[] = {"tsc", "--pretty", "false", "--project", (char *)folder, NULL};
	posix_spawn_file_actions_t actions;
	int pipes[2], status, error;
	ssize_t length;
	pid_t process;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
	error = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	while (error == 0 && ((length = read(pipes[0], buffer_reserve(output, PIECE), PIECE)) > 0 ||
			      (length < 0 && errno == EINTR)))
		if (length > 0 && buffer_length(output) < OUTPUT_MAX)
			buffer_commit(output, (size_t)length);
	close(pipes[0]);
	errno = error;
	if (error != 0)
		return -1;
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Appends the name of the file relative to the path that the author gave. */
static void append_name(const char *path, const char *file, struct buffer *to)
{
	char *base = realpath(path, NULL), *full = realpath(file, NULL);
	size_t length = base ? strlen(base) : 0;

	if (base && full && strncmp(full, base, length) == 0) {
		ctl_append_visible(str_from(path), "", to);
		if (full[length] == '/' && path[0] && path[strlen(path) - 1] == '/')
			length++;
		file = full + length;
	}
	ctl_append_visible(str_from(file), "", to);
	free(base);
	free(full);
}

/* Appends "app.ts(3,5): error TS2322: Type ..." as "app.ts:3:5: Type ... (TS2322)", another line as
 * it is. */
static void append_line(const char *path, const char *line, struct buffer *to)
{
	char file[PATH_MAX], row[11], column[11], code[16], message[2048];

	if (sscanf(line, "%4095[^(](%10[0-9],%10[0-9]): error %15[A-Z0-9]: %2047[^\n]", file, row,
		   column, code, message) == 5) {
		append_name(path, file, to);
		buffer_printf(to, ":%s:%s: ", row, column);
		ctl_append_visible(str_from(message), "", to);
		buffer_printf(to, " (%s)\n", code);
	} else {
		ctl_append_visible(str_from(line), "\t", to);
		buffer_append_char(to, '\n');
	}
}

static void append_lines(const char *path, struct buffer *output, struct buffer *to)
{
	char *line, *rest;

	buffer_append_char(output, '\0');
	for (char *text = memory_strdup(buffer_view(output).data), *at = text;; at = NULL) {
		line = strtok_r(at, "\r\n", &rest);
		if (!line) {
			free(text);
			return;
		}
		append_line(path, line, to);
	}
}

static bool has(struct buffer *output, const char *words)
{
	struct str view = buffer_view(output);

	return view.length > 0 && memmem(view.data, view.length, words, strlen(words));
}

enum app_types_result app_types_check(const char *path, struct buffer *log)
{
	enum app_types_result result = APP_TYPES_UNCHECKED;
	char folder[PATH_MAX];
	struct buffer output = {0};
	int status;

	if (!make_folder(path, folder)) {
		buffer_printf(log, "%s: %s", folder, strerror(errno));
		remove_folder(folder);
		return result;
	}
	status = run_tsc(folder, &output);
	if (status == 0) {
		result = APP_TYPES_RIGHT;
	} else if (status < 0) {
		buffer_printf(log, "%s; npm install --global typescript",
			      errno == ENOENT ? "tsc is not installed" : strerror(errno));
	} else if (has(&output, "error TS6046") || has(&output, "error TS5023")) {
		buffer_append_str(log,
				  STR("tsc is older than 5.0; npm install --global typescript"));
	} else if (status > TSC_FOUND_ERRORS) {
		buffer_printf(log, "tsc ended with status %d", status);
	} else {
		result = APP_TYPES_WRONG;
		append_lines(path, &output, log);
	}
	buffer_finish(&output);
	remove_folder(folder);
	return result;
}
