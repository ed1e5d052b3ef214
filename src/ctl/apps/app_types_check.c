#include "app_types_check.h"

#include "base/memory.h"
#include "ctl/ctl.h"
#include "panel_types.h"
#include "record/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <text/utf8.h>
#include <unistd.h>

enum { OUTPUT_MAX = 256 << 10, PIECE = 16 << 10, TSC_FOUND_ERRORS = 2, SH_FOUND_NOTHING = 127 };

/* Returns the absolute path, to be freed. Returns NULL, with the reason in log, if there is none,
 * or tsc cannot be given it: the configuration is JSON with patterns, in which nothing escapes. */
static char *find_full(const char *path, struct buffer *log)
{
	char *full = realpath(path, NULL);

	if (!full)
		buffer_printf(log, "%s: %s", path, strerror(errno));
	else if (!utf8_is_valid(str_from(full)) || strpbrk(full, "*?"))
		buffer_append_str(log, STR("tsc supports no path with *, ? or invalid UTF-8"));
	else
		return full;
	free(full);
	return NULL;
}

/* Appends tsc's configuration: the app's scripts, and our own types instead of a copy in the app's
 * folder. */
static void write_config(struct str app, struct buffer *json)
{
	struct arena arena = {0};

	buffer_append_str(json, STR("{\"extends\":\"./options.json\",\"files\":[\"./panel.d.ts\"],"
				    "\"include\":["));
	json_write_str(json, app);
	buffer_append_char(json, ',');
	json_write_str(json, ARENA_JOIN(&arena, app, STR("/**/*.ts")));
	buffer_append_str(json, STR("],\"exclude\":["));
	json_write_str(json, ARENA_JOIN(&arena, app, STR("/**/panel.d.ts")));
	buffer_append_str(json, STR("]}"));
	arena_finish(&arena);
}

/* Runs tsc. Returns its exit status, or -1 with errno if it did not start. */
static int run_tsc(const char *folder, struct buffer *output)
{
	size_t length;
	int status;
	FILE *tsc;

	if (setenv("DISPLAYCTL_TYPES", folder, 1) != 0)
		return -1;
	tsc =
	    popen("exec tsc --pretty false --project \"$DISPLAYCTL_TYPES\" </dev/null 2>&1", "re");
	if (!tsc)
		return -1;
	while ((length = fread(buffer_reserve(output, PIECE), 1, PIECE, tsc)) > 0)
		if (buffer_length(output) < OUTPUT_MAX)
			buffer_commit(output, length);
	buffer_append_char(output, '\0');
	status = pclose(tsc);
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

/* Judges the status and the output of tsc, a text that is cut into its lines. */
static enum app_types_result judge(const char *path, int status, char *output, struct buffer *log)
{
	char *rest;

	if (status == 0)
		return APP_TYPES_RIGHT;
	if (status < 0 || status == SH_FOUND_NOTHING)
		buffer_printf(log, "%s; npm install --global typescript",
			      status < 0 ? strerror(errno) : "tsc or node is not installed");
	else if (strstr(output, "error TS6046") || strstr(output, "error TS5023"))
		buffer_append_str(log,
				  STR("tsc is older than 5.0; npm install --global typescript"));
	else if (status > TSC_FOUND_ERRORS)
		buffer_printf(log, "tsc ended with status %d", status);
	else {
		for (char *line = strtok_r(output, "\r\n", &rest); line;
		     line = strtok_r(NULL, "\r\n", &rest))
			append_line(path, line, log);
		return APP_TYPES_WRONG;
	}
	return APP_TYPES_UNCHECKED;
}

static enum app_types_result check_in(const char *folder, const char *path, struct str config,
				      struct buffer *log)
{
	const struct new_app_file files[] = {{"panel.d.ts", panel_types},
					     {"options.json", new_app_config},
					     {"tsconfig.json", config}};
	enum app_types_result result = APP_TYPES_UNCHECKED;
	struct buffer output = {0};
	struct reason why;
	int status;

	if (new_app_write(folder, files, array_length(files), &why) == CTL_DONE) {
		status = run_tsc(folder, &output);
		result = judge(path, status, output.data, log);
		new_app_remove(folder, files, array_length(files));
	} else {
		buffer_append_str(log, str_from(why.text));
	}
	buffer_finish(&output);
	return result;
}

enum app_types_result app_types_check(const char *path, struct buffer *log)
{
	enum app_types_result result = APP_TYPES_UNCHECKED;
	const char *parent = getenv("TMPDIR");
	char *full = find_full(path, log), folder[PATH_MAX];
	struct buffer config = {0};

	if (!full)
		return result;
	snprintf(folder, sizeof(folder), "%s/displayctl-XXXXXX",
		 parent && parent[0] ? parent : "/tmp");
	if (mkdtemp(folder)) {
		write_config(str_from(full), &config);
		result = check_in(folder, path, buffer_view(&config), log);
		rmdir(folder);
	} else {
		buffer_printf(log, "%s: %s", folder, strerror(errno));
	}
	buffer_finish(&config);
	free(full);
	return result;
}
