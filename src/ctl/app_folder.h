/* An app as its author has it: a script, or a folder with scripts, a manifest, pictures and other
 * files. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

enum { APP_SCRIPT_BYTES_MAX = 8 << 20, APP_FAULT_MAX = 512 };

/* Appends what is uploaded: the script, or the folder's files in txtar form, those that are no text
 * in base64; hidden files and folders are left out. 0, or -1 with a sentence in ret_fault. */
int app_folder_pack(const char *path, struct buffer *script, char ret_fault[static APP_FAULT_MAX])
    __attribute__((warn_unused_result));

/* A number that changes when a file of the app changes, comes or goes. */
uint64_t app_folder_state(const char *path);

/* Reads what is to be rendered. An app in TypeScript is a file NAME.ts, or a folder
 * with such files and none in Starlark: with one alone it is that script. 0, or -1 with a sentence
 * in ret_fault. */
int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));

/* Likewise of a folder, for an upload: without files that nothing can load, such as pictures for a
 * catalogue. Scripts in Starlark name the files that they use. */
int app_folder_read_used(const char *path, struct buffer *script, bool *ret_is_typescript,
			 char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));
