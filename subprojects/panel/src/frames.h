/* Writes the displayed frames as PNG files: 000012-1763712345678.png, number and milliseconds since
 * 1970. A file appears complete or not at all. */
#pragma once

#include "picture.h"

enum { FRAMES_NAME_MAX = 64 };

struct frames {
	int directory_fd;  /* -1: no files are written */
	uint64_t sequence; /* number of the newest file, from 1 */
};

/* Opens the directory, which is made if it is missing, but not its parent; NULL: no files are
 * written. Returns 0 or a negative errno. */
int frames_open(struct frames *frames, const char *directory);
void frames_close(struct frames *frames);

/* Writes one file; ret_name gets its name. Returns 0 or a negative errno. */
int frames_write(struct frames *frames, const struct pixels *pixels,
		 char ret_name[static FRAMES_NAME_MAX]);
