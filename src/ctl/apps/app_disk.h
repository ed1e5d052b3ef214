/* The files of an app that its author has on disk. */
#pragma once

#include "base/buffer.h"

#include <fts.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { APP_SCRIPT_BYTES_MAX = 8 << 20, APP_FAULT_MAX = 512 };

bool app_disk_ends_with(const char *name, const char *ending);

/* Walks over the files of a folder, but hidden ones, in the order of their names; or over one file.
 */
FTS *app_disk_walk(const char *path);

/* The next file; NULL at the end. */
FTSENT *app_disk_next(FTS *walk);

/* Appends what the file has, up to some more than an app may have. flags: O_NOFOLLOW for what a
 * folder has, since somebody may put a link in its place meanwhile. 0, or -1 with a sentence in
 * ret_fault. */
int app_disk_read(const char *path, int flags, struct buffer *data,
		  char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));

/* Appends the file as one of several, in txtar form. */
int app_disk_add(const char *name, const char *path, int flags, struct buffer *script,
		 char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));

/* Makes of state one that changes with the file, or with a file of the folder, too. */
uint64_t app_disk_add_state(const char *path, uint64_t state);
