/* Writes a file completely or not at all: it has another name until it is on the disk. Only its
 * owner may read it. "-" is stdout. */
#pragma once

#include "main/reason.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Calls the handler at SIGINT, SIGTERM and SIGHUP, also during a read, which then fails; SIG_DFL:
 * no longer. Leaves ignored signals ignored: nohup ignores SIGHUP, so that a program outlives its
 * terminal. */
void ctl_catch_signals(void (*handler)(int));
/* Blocks these signals. *ret_before: what was blocked before, for sigprocmask(). */
void ctl_block_signals(sigset_t *ret_before);

struct new_file {
	const char *path; /* owned by the caller */
	char fresh[PATH_MAX];
	FILE *stream;
	int error; /* errno of the first failed write */
	uint64_t bytes;
};

/* Opens a file, one at a time. SIGINT, SIGTERM and SIGHUP remove it. A path that exists and is not
 * a regular file is rejected. Returns 0, or -1 with a reason. End with new_file_finish() or
 * new_file_drop(). */
__attribute__((warn_unused_result)) int new_file_open(struct new_file *file, const char *path,
						      struct reason *reterr);
/* Writes data, as write() of struct backup_writer; context: the struct new_file. Sets file->error
 * if it fails. */
void new_file_write(void *context, const void *data, size_t size);
/* Writes the file to the disk and gives it its name, or removes it after a failure, also of an
 * earlier write. Returns 0, or -1 with a reason. Closes the file in either case, but not stdout. */
__attribute__((warn_unused_result)) int new_file_finish(struct new_file *file,
							struct reason *reterr);
/* Closes and removes the unfinished file. */
void new_file_drop(struct new_file *file);
