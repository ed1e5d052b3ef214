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

/* Reads what is to be rendered. An app in TypeScript, which is one script so far, is a file
 * NAME.ts, or a folder with one such file and none in Starlark. 0, or -1 with a sentence in
 * ret_fault. */
int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));
