/* Places on earth by their names, from a built-in list (GeoNames' cities), so that no third party
 * learns where a user lives. */
#pragma once

#include "base/arena.h"

enum {
	PLACES_MAX = 20, /* maximum of one answer */
	PLACE_SEARCH_BYTES_MAX = 100,
};

/* Texts are static. */
struct place {
	struct str name;
	struct str region;   /* region of its country; may be empty */
	struct str country;  /* ISO 3166-1 alpha-2 */
	struct str timezone; /* its name in the tz database */
	double latitude, longitude;
};

/* Finds the largest places with a name that begins with search, ignoring accents and case. The text
 * after a comma must begin the region, or the country's name or code. So must the last words, if
 * the whole is no name; words after the area, such as a postal code, do not count. Longer searches
 * find nothing. Returns how many. */
unsigned places_find(struct str search, struct place ret_places[static PLACES_MAX]);

/* Returns the time zone of the nearest place, static; empty: there is no built-in list. Near the
 * border of two zones it may be the wrong one. Scans all places: about 100 us. */
struct str places_zone_at(double latitude, double longitude);
