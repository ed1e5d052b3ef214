/* Pixels as text for a true-colour terminal: a column for each, and for two rows of them one of the
 * upper half block, whose foreground is the upper pixel and whose background the lower one. Pure.
 */
#pragma once

#include "picture.h"

#include <stdio.h>

enum { SCREEN_ROWS_MAX = PANEL_HEIGHT_MAX / 2, SCREEN_STATUS_MAX = 256 };

struct screen_cell {
	uint8_t upper[3];
	uint8_t lower[3];
};

struct screen {
	int columns; /* size of the terminal */
	int rows;
	/* Content of the terminal, so that only changes are written. */
	bool known;
	bool is_wide; /* drawn with the columns of a wide panel */
	struct screen_cell cells[SCREEN_ROWS_MAX][PANEL_WIDTH_MAX];
	char status[SCREEN_STATUS_MAX];
};

/* Sets the terminal's size and forgets its content: the next text draws everything. */
void screen_reset(struct screen *screen, int columns, int rows);

/* Writes the text that makes the terminal show pixels at this brightness (0 to 100; 0: dark) and,
 * in the row below, status (UTF-8 without control characters). Wide pixels are halved if the
 * terminal has no room for them and the status. Parts that do not fit are left out.
 * Writes nothing if nothing has changed. */
void screen_draw(struct screen *screen, const struct pixels *pixels, int brightness,
		 const char *status, FILE *text);

/* Returns a colour value at that brightness. The LEDs' light is proportional to brightness, and
 * sRGB values are about its square root. */
uint8_t screen_dim(uint8_t value, int brightness);
