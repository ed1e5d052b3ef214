/* Packs the files of an app's folder into the script that is rendered, uploaded or imported: a
 * file's text, or several files in txtar form, with binary files in base64.
 *
 * An app in TypeScript is a folder with NAME.ts, and none in Starlark. An app in Starlark is a
 * folder, without files that nothing can load. The files lie on disk (ctl/apps/app_folder.h) or in
 * memory. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>

enum { APP_SCRIPT_BYTES_MAX = 8 << 20, APP_FAULT_MAX = 512 };

/* Files, by their paths relative to a folder, in the order of a walk: part by part. Embed it. */
struct app_folder {
	char **names;
	unsigned count;
	/* Appends a file's content, until it exceeds APP_SCRIPT_BYTES_MAX. was_named: the user
	 * named this file. Returns 0, or -1 with a sentence in ret_fault. */
	int (*read)(const struct app_folder *folder, const char *name, bool was_named,
		    struct buffer *data, char ret_fault[static APP_FAULT_MAX]);
};

/* Adds a copy of the name. */
void app_folder_add(struct app_folder *folder, const char *name);
/* Frees the names. */
void app_folder_finish(struct app_folder *folder);

/* Whether the file is a script in TypeScript. */
bool app_pack_is_typescript(const char *name);

/* Appends all files in txtar form. was_named: the user named the first one. Returns 0, or -1 with a
 * sentence in ret_fault. */
int app_pack(const struct app_folder *folder, bool was_named, struct buffer *script,
	     char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));

/* Appends the script of a whole folder, and removes files that it does not need from the list. The
 * script may exceed APP_SCRIPT_BYTES_MAX. Returns 0, or -1 with a sentence in ret_fault. */
int app_pack_folder(struct app_folder *folder, struct buffer *script, bool *ret_is_typescript,
		    char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));
