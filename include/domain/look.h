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
	uint8_t filter;	   /* enum color_filter */
	uint8_t dark;	   /* twentieths of the pixels' brightness that are taken away */
	uint8_t size;	   /* enum panel_size: of the panel */
	uint16_t limit_kb; /* thousands of bytes that the panel can load; 0: as many as any panel */
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

/* Whether the panel can load so many bytes. */
static inline bool picture_look_takes(struct picture_look look, size_t bytes)
{
	return look.limit_kb == 0 || bytes <= (size_t)look.limit_kb * 1000;
}

/* Whether a picture of that size, with so many bytes, has the look as it is. */
static inline bool picture_look_is_plain(struct picture_look look, enum panel_size size,
					 size_t bytes)
{
	return picture_look_keeps_colors(look) && look.size == size &&
	       picture_look_takes(look, bytes);
}

/* Whether both look the same if the panels can load it. */
static inline bool picture_look_is_alike(struct picture_look a, struct picture_look b)
{
	return a.filter == b.filter && a.dark == b.dark && a.size == b.size;
}

static inline bool picture_look_is_same(struct picture_look a, struct picture_look b)
{
	return picture_look_is_alike(a, b) && a.limit_kb == b.limit_kb;
}

/* Whether a picture that was made with one look, of so many bytes, is what would be made with the
 * other: panels that can load more get the same bytes as those that can load less. */
static inline bool picture_look_serves(struct picture_look made, size_t bytes,
				       struct picture_look wanted)
{
	bool is_larger =
	    made.limit_kb == 0 || (wanted.limit_kb != 0 && made.limit_kb > wanted.limit_kb);

	return picture_look_is_same(made, wanted) ||
	       (is_larger && picture_look_is_alike(made, wanted) &&
		picture_look_takes(wanted, bytes));
}
