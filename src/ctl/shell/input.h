/* Files that commands read. */
#pragma once

#include "ctl/ctl.h"

/* Reads a file, "-" for standard input: all of it, or more than max_bytes if it has more. what:
 * before the path in a sentence, such as "--settings: ". CTL_DONE, or the reason was said. To be
 * freed by buffer_finish() in either case. */
enum ctl_exit ctl_read_file(const char *what, const char *path, size_t max_bytes,
			    struct buffer *ret_text);
