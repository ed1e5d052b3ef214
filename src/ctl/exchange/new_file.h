/* A file that is written as a whole or not at all: it has another name until it is on the disk. Its
 * owner alone may read it. "-" is stdout. */
#pragma once

#include "main/reason.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct new_file {
	const char *path; /* the caller's */
	char fresh[PATH_MAX];
	FILE *stream;
	int error; /* errno of the first write that failed */
	uint64_t bytes;
};

/* Opens one file at a time: SIGINT, SIGTERM and SIGHUP remove it. An existing path that is not a
 * regular file is rejected. 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int new_file_open(struct new_file *file, const char *path,
						      struct reason *reterr);
/* Writes for struct backup_writer: context is the struct new_file. False: error is set. */
__attribute__((warn_unused_result)) bool new_file_write(void *context, const void *data,
							size_t size);
/* On the disk, under its name. 0, or -1 with a reason; the file is closed in either case. */
__attribute__((warn_unused_result)) int new_file_finish(struct new_file *file,
							struct reason *reterr);
/* Instead: nothing is left of it. */
void new_file_drop(struct new_file *file);
