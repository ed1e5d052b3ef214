/* Files of an app's folder in memory, as an archive gives them, and the script that they make. */
#pragma once

#include "checkout/app_pack.h"

enum { MEMORY_FILES_MAX = 2000 };

struct memory_file {
	char *name; /* relative to the folder */
	struct buffer content;
};

/* A zeroed one is empty. Free with memory_files_finish(). */
struct memory_files {
	struct memory_file *list; /* NULL: no file was added */
	unsigned count;
	size_t bytes; /* of all contents */
};

/* Adds a copy, unless there are MEMORY_FILES_MAX files. */
void memory_files_add(struct memory_files *files, struct str name, struct str content);
/* Returns the content of the file; NULL: there is no such file. */
const struct buffer *memory_files_find(const struct memory_files *files, const char *name);
/* Appends the script of the folder, as app_pack_folder() does; also -1 if it is larger than
 * APP_SCRIPT_BYTES_MAX. */
int memory_files_pack(const struct memory_files *files, struct buffer *script,
		      bool *ret_is_typescript, char ret_fault[static APP_FAULT_MAX])
    __attribute__((warn_unused_result));
/* Frees the files; the object is empty afterwards. */
void memory_files_finish(struct memory_files *files);
