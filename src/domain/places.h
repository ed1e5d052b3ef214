/* Tables made by tools/embed_places.py. They have no pointers, so that all processes share their
 * pages. Offsets are into place_texts, where texts end with a NUL. */
#pragma once

#include <stdint.h>

enum { PLACE_AREAS_MAX = 8192 };

/* Sorted by population, the largest first. */
struct place_row {
	uint32_t name, region;
	int32_t latitude, longitude; /* degrees times 10,000 */
	uint16_t zone;
	char country[2];
};

/* Folded name of a place, sorted by its bytes. area: below PLACE_AREAS_MAX, one for each region of
 * each country. */
struct place_key {
	uint32_t name;
	uint16_t row;
	uint16_t area;
};

/* Folded name of an area: its region, its country, or its country's code; sorted by its bytes. */
struct place_area_key {
	uint32_t name;
	uint32_t area;
};

struct place_zone {
	uint32_t name;
};

/* Range of characters, each of which has a row with its folded form in place_folds. */
struct place_range {
	uint32_t begin, end;
};

struct place_fold {
	uint8_t length;
	char text[3];
};
