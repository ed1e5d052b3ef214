/* The files of an app: one script, or several as txtar, of which the first is the one with main().
 *
 *   -- NAME --             a script without its types, or a text
 *   -- NAME;base64 --      any bytes
 *
 * Whoever sends them has checked the archive as it was uploaded; here a fault means that a file is
 * not found. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <text/txtar.h>

enum { FILES_MAX = 2000 };

struct file {
	char *name;
	char *data; /* has a NUL behind its end */
	size_t length;
};

struct files {
	struct file *list;
	unsigned count;
};

/* False: there is no memory for them, or more than FILES_MAX. files_finish() it in either case. */
bool files_read(struct files *files, struct str script, const char *sole_name)
    __attribute__((warn_unused_result));
void files_finish(struct files *files);

/* The file with this name, or with .ts behind it; or NULL. */
const struct file *files_find(const struct files *files, const char *name);

/* Interval that manifest.yaml asks for: seconds between two renders; 0: each turn
 * has its own; -1: nothing. */
int files_interval_s(const struct files *files);

bool file_has_ending(const struct file *file, const char *ending);
