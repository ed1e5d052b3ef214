/* An app's source: a script, or a folder with scripts, a manifest, pictures and other files. */
#pragma once

#include "checkout/app_manifest.h"
#include "checkout/app_pack.h"

/* Appends the file's content, until it exceeds bytes_max. Follows a link only if the caller named
 * the file: a found file may have been replaced by a link. Returns 0 or a negative errno. */
int app_file_read(const char *path, bool was_named, size_t bytes_max, struct buffer *data)
    __attribute__((warn_unused_result));

/* Appends the script that is rendered or uploaded: a file's text, or several files in txtar form,
 * with binary files in base64.
 *
 * An app in TypeScript is a file NAME.ts, or a folder with such files and none in Starlark. An app
 * in Starlark is a folder, without files that nothing can load; or a script with the files that it
 * loads from its folder, and their locales if it is translated. Hidden files and folders are left
 * out.
 *
 * *ret_folder: the folder to which file names in errors are relative, to be freed with free(); NULL
 * for a single script. Returns 0, or -1 with a sentence in ret_fault. */
int app_folder_read(const char *path, struct buffer *script, bool *ret_is_typescript,
		    char **ret_folder, char ret_fault[static APP_FAULT_MAX])
    __attribute__((warn_unused_result));

/* Reads a manifest.yaml; texts are in the arena. Returns false with the reason in *ret_why if it
 * fails. */
bool app_folder_manifest(const char *path, struct arena *arena, struct app_manifest *ret_manifest,
			 struct str *ret_why) __attribute__((warn_unused_result));
