/* Files of an app that was uploaded as txtar. TypeScript is compiled one script at a time, so the
 * archive is split, and the results are joined again.
 *
 *   upload -> app_files_read() -> for each script: esbuild -> app_files_append() -> renderer
 */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <text/txtar.h>

enum { APP_FILES_MAX = 2000, APP_FILES_SCRIPTS_MAX = 50, APP_FILES_WHY_MAX = 256 };

struct app_files {
	struct txtar_file *list; /* the file with main() comes first */
	unsigned count;
};

/* Splits an archive; the texts point into it. Returns 0, or -1 with a sentence in ret_why: a name
 * is invalid or occurs twice, there are too many files, or none of them is the main script: app.ts,
 * main.ts, or the only script outside of folders. Call app_files_finish() in either case. */
int app_files_read(struct str archive, struct app_files *ret_files,
		   char ret_why[static APP_FILES_WHY_MAX]) __attribute__((warn_unused_result));
void app_files_finish(struct app_files *files);

/* Whether the file's types must be stripped. Files of declarations only (.d.ts) are left out. */
bool app_file_is_script(const struct txtar_file *file);
bool app_file_is_declaration(const struct txtar_file *file);

/* Appends the file with this content, in base64 if one of its lines looks like a file name. */
void app_files_append(struct buffer *archive, const struct txtar_file *file, struct str data);
