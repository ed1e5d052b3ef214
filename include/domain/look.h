/* Look of pictures on a panel: its size, a colour filter, and darker pixels if the panel's lowest
 * step is brighter than its brightness. Pure.
 *
 * The filters have the names that owners of tronbyt servers know; the colours are our own. */
#pragma once

#include "domain/panel_size.h"

#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

enum color_filter {
	COLOR_FILTER_NONE,
	COLOR_FILTER_DIMMED,
	COLOR_FILTER_REDSHIFT,
	COLOR_FILTER_WARM,
	COLOR_FILTER_SUNSET,
	COLOR_FILTER_SEPIA,
	COLOR_FILTER_VINTAGE,
	COLOR_FILTER_DUSK,
	COLOR_FILTER_COOL,
	COLOR_FILTER_BW,
	COLOR_FILTER_ICE,
	COLOR_FILTER_MOONLIGHT,
	COLOR_FILTER_NEON,
	COLOR_FILTER_PASTEL,
	COLOR_FILTERS,
	COLOR_FILTER_INHERIT = COLOR_FILTERS, /* no look has it */
};

enum { COLOR_FILTER_NAME_MAX = 9 };

struct picture_look {
	uint8_t filter; /* enum color_filter */
	uint8_t dark;	/* twentieths of the pixels' brightness that are taken away */
	uint8_t size;	/* enum panel_size: of the panel */
	/* Thousands of bytes that the panel can load, for pictures that are made anew; 0: as many
	 * as any panel. */
	uint16_t limit_kb;
};

/* Finds a filter by its name, or "inherit". Returns false if there is none. */
bool color_filter_find(struct str name, enum color_filter *ret_filter);
/* Returns the filter of a name that the database has checked. */
enum color_filter color_filter_of(struct str name);
/* Returns the name, static text. */
struct str color_filter_name(enum color_filter filter);
/* Check a name for a device, or for one that may say "inherit". Return NULL, or the fault ("must
 * ..."). */
const char *color_filter_check(struct str name);
const char *color_filter_check_inherited(struct str name);

/* Thousandths of red, green and blue that make the red, green and blue of the result. */
const int16_t (*color_filter_mix(enum color_filter filter))[3];

static inline bool picture_look_keeps_colors(struct picture_look look)
{
	return look.filter == COLOR_FILTER_NONE && look.dark == 0;
}

/* Whether a picture of that size has the look as it is. */
static inline bool picture_look_is_plain(struct picture_look look, enum panel_size size)
{
	return picture_look_keeps_colors(look) && look.size == size;
}

static inline bool picture_look_is_same(struct picture_look a, struct picture_look b)
{
	return a.filter == b.filter && a.dark == b.dark && a.size == b.size &&
	       a.limit_kb == b.limit_kb;
}
