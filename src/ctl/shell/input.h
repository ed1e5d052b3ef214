/* Files that commands read. */
#pragma once

#include "ctl/ctl.h"

/* Reads a file, "-" for standard input. Stops after max_bytes: a longer result means that the file
 * is too large. what: text before the path in error messages, such as "--settings: ". Returns
 * CTL_DONE, or another code after printing the reason. Free ret_text with buffer_finish() in either
 * case. */
enum ctl_exit ctl_read_file(const char *what, const char *path, size_t max_bytes,
			    struct buffer *ret_text);
