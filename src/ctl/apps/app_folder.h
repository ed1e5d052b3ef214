/* An app as its author has it: a script, or a folder with scripts, a manifest, pictures and other
 * files. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>

enum { APP_SCRIPT_BYTES_MAX = 8 << 20, APP_FAULT_MAX = 512 };

/* Files by their names below a folder. */
struct app_folder {
	char *path; /* up to the last slash, or "" */
	char **names;
	unsigned count;
};

/* Finds all files of a folder but hidden ones, in the order of their names; or the one file. */
void app_folder_find(struct app_folder *ret_folder, const char *path);
void app_folder_finish(struct app_folder *folder);

/* The whole path of a file; for free(). */
char *app_folder_join(const struct app_folder *folder, const char *name);
bool app_file_ends_with(const char *name, const char *ending);

/* Appends what is rendered or uploaded: a script, or several files in txtar form, those that are no
 * text in base64. An app in TypeScript is a file NAME.ts, or a folder with such files and none in
 * Starlark: with one alone it is that script. One in Starlark is a folder without files that
 * nothing can load, such as pictures for a catalogue, or a script with what it loads from its
 * folder; with locales if it is translated. Hidden files and folders are left out. *ret_folder: the
 * folder below which errors name files, for free(); NULL: there is one script alone. 0, or -1 with
 * a sentence in ret_fault. */
int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char **ret_folder, char ret_fault[static APP_FAULT_MAX])
    __attribute__((warn_unused_result));
