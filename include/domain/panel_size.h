/* Sizes of panels, in pixels. Pure. */
#pragma once

#include <stdint.h>
#include <text/str.h>

enum panel_size { PANEL_SIZE_64X32, PANEL_SIZE_128X64, PANEL_SIZES };

/* Returns NULL, or the fault ("must ..."). */
const char *panel_size_check(struct str name);
/* Returns the size of a name that the database has checked, such as "64x32". */
enum panel_size panel_size_of(struct str name);
/* Returns the name, static text. */
struct str panel_size_name(enum panel_size size);
/* Return pixels. */
uint32_t panel_size_width(enum panel_size size);
uint32_t panel_size_height(enum panel_size size);
