/* The files of an app that was uploaded as txtar, as far as scripts in TypeScript need them taken
 * apart: each script loses its types by itself, and what comes out is put together again.
 *
 *   upload -> app_files_read() -> for each script: esbuild -> app_files_append() -> renderer
 */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <text/txtar.h>

enum { APP_FILES_MAX = 2000, APP_FILES_SCRIPTS_MAX = 50, APP_FILES_WHY_MAX = 256 };

struct app_files {
	struct txtar_file *list; /* the one with main() first */
	unsigned count;
};

/* Takes an archive apart; texts lie in it. 0; -1 with a sentence in ret_why: a name is none or is
 * there twice, there are too many, or none has main(): app.ts, main.ts, or the only script that
 * lies in no folder. app_files_finish() it in either case. */
int app_files_read(struct str archive, struct app_files *ret_files,
		   char ret_why[static APP_FILES_WHY_MAX]) __attribute__((warn_unused_result));
void app_files_finish(struct app_files *files);

/* Whether its types are to be stripped; declarations alone (.d.ts) are left out of what runs. */
bool app_file_is_script(const struct txtar_file *file);
bool app_file_is_declaration(const struct txtar_file *file);

/* Appends the file with this content, in base64 where a line of it looks like a name. */
void app_files_append(struct buffer *archive, const struct txtar_file *file, struct str data);
