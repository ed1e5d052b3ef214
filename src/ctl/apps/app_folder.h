/* An app as its author has it: a script, or a folder with scripts, a manifest, pictures and other
 * files. */
#pragma once

#include "app_disk.h"

/* A number that changes when a file of the app changes, comes or goes. */
uint64_t app_folder_state(const char *path);

/* Appends what is rendered or uploaded: a script, or several files in txtar form, those that are no
 * text in base64. An app in TypeScript is a file NAME.ts, or a folder with such files and none in
 * Starlark: with one alone it is that script. One in Starlark is a folder without files that
 * nothing can load, such as pictures for a catalogue, or a script with what it loads from its
 * folder. Hidden files and folders are left out. 0, or -1 with a sentence in ret_fault. */
int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char ret_fault[static APP_FAULT_MAX]) __attribute__((warn_unused_result));
