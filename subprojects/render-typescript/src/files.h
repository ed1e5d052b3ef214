/* The files of an app: one script, or several as txtar, of which the first is the one with main().
 *
 *   -- NAME --             a script without its types, or a text
 *   -- NAME;base64 --      any bytes
 *
 * The server has checked the archive at its upload; here a faulty file is just not found. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/txtar.h>

enum { FILES_MAX = 2000 };

struct file {
	char *name;
	char *data; /* NUL-terminated */
	size_t length;
};

struct files {
	struct file *list;
	unsigned count;
};

/* Reads the files. Returns false if there is no memory, or if there are more than FILES_MAX. The
 * caller must call files_finish() in both cases. */
bool files_read(struct files *files, struct str script, const char *sole_name)
    __attribute__((warn_unused_result));
void files_finish(struct files *files);

/* Returns the file with this name, or with .ts behind it; or NULL. */
const struct file *files_find(const struct files *files, const char *name);

/* Returns the interval of manifest.yaml: seconds between two renders; 0: each turn is rendered; -1:
 * there is none. */
int files_interval_s(const struct files *files);

/* Whether manifest.yaml says that the app draws wide panels with twice the width and height. */
bool files_support_2x(const struct files *files);

bool file_has_ending(const struct file *file, const char *ending);
