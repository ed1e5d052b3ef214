#include "screen.h"

#include <math.h>
#include <string.h>

/* U+2580, the upper half block. */
#define HALF_BLOCK "\xe2\x96\x80"

void screen_reset(struct screen *screen, int columns, int rows)
{
	*screen = (struct screen){.columns = columns, .rows = rows};
}

uint8_t screen_dim(uint8_t value, int brightness)
{
	return (uint8_t)lrint(value * sqrt(brightness / 100.0));
}

static uint8_t middle_of_four(const struct pixels *pixels, int row, int column, int colour)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += pixels_at(pixels, 2 * row + i / 2, 2 * column + i % 2)[colour];
	return (uint8_t)((sum + 2) / 4);
}

/* Makes a small picture of a wide one: each pixel is the middle of four. */
static struct pixels halved(const struct pixels *wide)
{
	struct pixels small = {.is_wide = false};
	uint8_t *rgb = small.rgb;

	for (int row = 0; row < PANEL_HEIGHT; row++)
		for (int column = 0; column < PANEL_WIDTH; column++)
			for (int i = 0; i < 3; i++)
				*rgb++ = middle_of_four(wide, row, column, i);
	return small;
}

static struct screen_cell make_cell(const struct pixels *pixels, const uint8_t dimmed[256], int row,
				    int column)
{
	struct screen_cell cell;

	for (int i = 0; i < 3; i++) {
		cell.upper[i] = dimmed[pixels_at(pixels, 2 * row, column)[i]];
		cell.lower[i] = dimmed[pixels_at(pixels, 2 * row + 1, column)[i]];
	}
	return cell;
}

static void append_colour(FILE *text, int layer, const uint8_t rgb[3])
{
	fprintf(text, "\x1b[%d;2;%d;%d;%dm", layer, rgb[0], rgb[1], rgb[2]);
}

/* pen is the cell whose colours the terminal has set; NULL if they are not known. */
static void append_cell(FILE *text, const struct screen_cell *cell, const struct screen_cell *pen)
{
	if (!pen || memcmp(pen->upper, cell->upper, 3) != 0)
		append_colour(text, 38, cell->upper);
	if (!pen || memcmp(pen->lower, cell->lower, 3) != 0)
		append_colour(text, 48, cell->lower);
	fputs(HALF_BLOCK, text);
}

static void draw_cells(struct screen *screen, const struct pixels *pixels, int brightness,
		       FILE *text)
{
	uint8_t dimmed[256];
	const struct screen_cell *pen = NULL;

	for (int i = 0; i < 256; i++)
		dimmed[i] = screen_dim((uint8_t)i, brightness);
	for (int row = 0; row < pixels_height(pixels) / 2 && row < screen->rows; row++) {
		bool is_adjacent = false;

		for (int column = 0; column < pixels_width(pixels) && column < screen->columns;
		     column++) {
			struct screen_cell *shown = &screen->cells[row][column];
			struct screen_cell cell = make_cell(pixels, dimmed, row, column);

			if (screen->known && memcmp(&cell, shown, sizeof(cell)) == 0) {
				is_adjacent = false;
				continue;
			}
			if (!is_adjacent)
				fprintf(text, "\x1b[%d;%dH", row + 1, column + 1);
			append_cell(text, &cell, pen);
			*shown = cell;
			pen = shown;
			is_adjacent = true;
		}
	}
	if (pen)
		fputs("\x1b[0m", text);
}

/* Returns how many bytes of text fill at most so many columns; each code point takes one. */
static int clip(const char *text, int columns)
{
	int length = 0;

	while (text[length] && (columns > 0 || ((unsigned char)text[length] & 0xc0) == 0x80)) {
		if (((unsigned char)text[length] & 0xc0) != 0x80)
			columns--;
		length++;
	}
	return length;
}

static void draw_status(struct screen *screen, int row, const char *status, FILE *text)
{
	if (screen->rows <= row)
		return;
	if (screen->known && strcmp(screen->status, status) == 0)
		return;
	snprintf(screen->status, sizeof(screen->status), "%s", status);
	fprintf(text, "\x1b[%d;1H\x1b[2m%.*s\x1b[0m\x1b[K", row + 1,
		clip(screen->status, screen->columns), screen->status);
}

void screen_draw(struct screen *screen, const struct pixels *pixels, int brightness,
		 const char *status, FILE *text)
{
	struct pixels small;

	if (pixels->is_wide &&
	    (screen->columns < PANEL_WIDTH_MAX || screen->rows <= SCREEN_ROWS_MAX)) {
		small = halved(pixels);
		pixels = &small;
	}
	screen->known &= screen->is_wide == pixels->is_wide;
	screen->is_wide = pixels->is_wide;
	if (!screen->known)
		fputs("\x1b[0m\x1b[2J", text);
	draw_cells(screen, pixels, brightness, text);
	draw_status(screen, pixels_height(pixels) / 2, status, text);
	screen->known = true;
}
