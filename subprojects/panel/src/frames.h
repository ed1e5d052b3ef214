/* The pictures on screen as PNG files: 000012-1763712345678.png, the time in milliseconds since
 * 1970. A file appears whole or not at all. */
#pragma once

#include "picture.h"

enum { FRAMES_NAME_MAX = 64 };

struct frames {
	int directory_fd;  /* -1: nothing is written */
	uint64_t sequence; /* of the newest file, from 1 */
};

/* directory: made if it is missing, its parent not; NULL: nothing is to be written. 0 or a
 * negative errno. */
int frames_open(struct frames *frames, const char *directory);
void frames_close(struct frames *frames);

/* Writes one file; ret_name gets its name. 0 or a negative errno. */
int frames_write(struct frames *frames, const struct pixels *pixels,
		 char ret_name[static FRAMES_NAME_MAX]);
