/* Plays one picture in the terminal as a panel shows it, for app authors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called often while the picture plays; returns true to end it. */
typedef bool panel_play_ends(void *context);

/* Plays a WebP (size 0: a dark panel) until ends() returns true, or until a signal ends it: then it
 * returns false. status, UTF-8 without control characters, is shown in the row below. Standard
 * output must be a terminal, and is restored at the end. Blocks. */
bool panel_play(const uint8_t *data, size_t size, const char *status, panel_play_ends *ends,
		void *context);
