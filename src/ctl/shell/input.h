/* Files that commands read. */
#pragma once

#include "ctl/ctl.h"

/* Reads a file, "-" for standard input. Stops after max_bytes: a longer result means that the file
 * is too large. what: text before the path in error messages, such as "--settings: ". Returns
 * CTL_DONE, or another code after printing the reason. Free ret_text with buffer_finish() in either
 * case. */
enum ctl_exit ctl_read_file(const char *what, const char *path, size_t max_bytes,
			    struct buffer *ret_text);

/* The same for a file that holds a key. Also fails if others than its owner may read or write it.
 */
enum ctl_exit ctl_read_secret_file(const char *path, size_t max_bytes, struct buffer *ret_text);

/* Reads the first line of a file, "-" for standard input, and no byte behind it, into the arena: at
 * most 4096 bytes, and a NUL. Returns CTL_DONE, or another code after printing the reason; an empty
 * line is an error. */
enum ctl_exit ctl_read_line(struct ctl *ctl, const char *path, struct str *ret_line);
