/* Plays one picture in the terminal, as a panel shows it: for authors of apps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Asked often while the picture plays: true ends it. */
typedef bool panel_play_ends(void *context);

/* Plays a WebP (size 0: a dark panel) until ends() says so, or until a signal to end comes: then it
 * returns false. status, UTF-8 without control characters, stands in the row below. Standard output
 * must be a terminal; it is as it was afterwards. Blocks. */
bool panel_play(const uint8_t *data, size_t size, const char *status, panel_play_ends *ends,
		void *context);
