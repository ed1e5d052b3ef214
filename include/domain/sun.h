/* Sunrise and sunset, by the equations of NOAA's solar calculator (Global Monitoring Laboratory,
 * https://gml.noaa.gov/grad/solcalc/calcdetails.html, after Meeus, Astronomical Algorithms): the
 * upper edge of the sun at sea level, with the usual refraction. Within two minutes between the
 * polar circles. Pure. */
#pragma once

#include "base/zone.h"

#include <stdbool.h>

struct sun_place {
	double lat, lng; /* degrees; north and east are positive */
};

/* Minutes of a local day, from 0 to 24 * 60. */
struct sun_day {
	int sunrise, sunset;
	bool has_both; /* false: polar day, with sunrise at 0 and sunset at 24 * 60; or polar
			* night, with both at noon */
};

/* Returns sunrise and sunset of the sun whose noon lies in this local day. One that lies in the day
 * before, or in the day after, counts as the beginning, or the end, of the day. zone: NULL is UTC.
 * day: days since 1970. */
struct sun_day sun_day_at(struct sun_place place, const struct zone *zone, int32_t day);
