/* Places on earth by their names, from a list that the program has (GeoNames' cities): nobody else
 * is asked where somebody lives. */
#pragma once

#include "base/arena.h"

enum {
	PLACES_MAX = 20, /* of one answer */
	PLACE_SEARCH_BYTES_MAX = 100,
};

/* Texts are static. */
struct place {
	struct str name;
	struct str region;   /* of its country; may be empty */
	struct str country;  /* ISO 3166-1 alpha-2 */
	struct str timezone; /* its name in the tz database */
	double latitude, longitude;
};

/* The largest places one of whose names begins with search, accents and case aside; what stands
 * behind a comma must begin its region, its country's name or its country's code. Longer searches
 * find nothing. Returns how many. */
unsigned places_find(struct str search, struct place ret_places[static PLACES_MAX]);

/* The time zone of the place that lies nearest, static; empty: the program has no list. It may be
 * the neighbour's near the border of two zones. Looks at all places: some 100 us. */
struct str places_zone_at(double latitude, double longitude);
