#include "domain/sun.h"

#include <math.h>

enum { DAY_MIN = 24 * 60, DAY_SECONDS = DAY_MIN * 60 };

/* Angle of the sun's centre at sunrise: 90 degrees, its radius of 16', and refraction of 34'. */
static const double ZENITH = 90.833;
static const double RADIANS = M_PI / 180;

struct sun {
	double declination; /* radians */
	double equation_s;  /* by which sundials are ahead of clocks */
};

/* Position of the sun at that time. */
static struct sun sun_at(double wall_s)
{
	double t = (wall_s / DAY_SECONDS - 10957.5) / 36525; /* centuries since 2000 */
	double longitude = fmod(280.46646 + t * (36000.76983 + t * 0.0003032), 360) * RADIANS;
	double anomaly = (357.52911 + t * (35999.05029 - 0.0001537 * t)) * RADIANS;
	double eccentricity = 0.016708634 - t * (0.000042037 + 0.0000001267 * t);
	double centre = sin(anomaly) * (1.914602 - t * (0.004817 + 0.000014 * t)) +
			sin(2 * anomaly) * (0.019993 - 0.000101 * t) + sin(3 * anomaly) * 0.000289;
	double node = (125.04 - 1934.136 * t) * RADIANS;
	double apparent = longitude + (centre - 0.00569 - 0.00478 * sin(node)) * RADIANS;
	double obliquity = (23.4392911 - 0.0130042 * t + 0.00256 * cos(node)) * RADIANS;
	double y = tan(obliquity / 2) * tan(obliquity / 2);
	double equation = y * sin(2 * longitude) - 2 * eccentricity * sin(anomaly) +
			  4 * eccentricity * y * sin(anomaly) * cos(2 * longitude) -
			  y * y * sin(4 * longitude) / 2 -
			  1.25 * eccentricity * eccentricity * sin(2 * anomaly);

	return (struct sun){asin(sin(obliquity) * sin(apparent)), equation / RADIANS * 240};
}

/* Cosine of the angle by which the earth turns from sunrise to noon. */
static double turn_cosine(double lat, double declination)
{
	double cosines = cos(lat * RADIANS) * cos(declination);

	/* At the poles there is only day or night. */
	if (cosines < 1e-9)
		cosines = 1e-9;
	return (cos(ZENITH * RADIANS) - sin(lat * RADIANS) * sin(declination)) / cosines;
}

/* Time of sunrise (side -1) or sunset (side 1), found again with the sun's position at that time.
 */
static double event_s(struct sun_place place, double noon_s, int side)
{
	double at_s = noon_s;

	for (int i = 0; i < 2; i++) {
		struct sun sun = sun_at(at_s);
		double cosine = fmin(1, fmax(-1, turn_cosine(place.lat, sun.declination)));
		double equation_s = sun_at(noon_s).equation_s;

		at_s = noon_s + equation_s - sun.equation_s + side * acos(cosine) / RADIANS * 240;
	}
	return at_s;
}

static int minute_of_day(const struct zone *zone, double at_s, int32_t day)
{
	int64_t wall_s = (int64_t)floor(at_s);
	int64_t local_s = wall_s + zone_offset_s(zone, wall_s) - (int64_t)day * DAY_SECONDS;

	if (local_s < 0)
		return 0;
	return local_s > DAY_SECONDS ? DAY_MIN : (int)((local_s + 30) / 60);
}

struct sun_day sun_day_at(struct sun_place place, const struct zone *zone, int32_t day)
{
	double day_s = (double)day * DAY_SECONDS;
	double mean_noon_s = day_s + DAY_SECONDS / 2.0 - place.lng * 240;
	double offset_s = zone_offset_s(zone, (int64_t)mean_noon_s);
	/* The zone's day may be another one than that of the longitude. */
	double days = floor((mean_noon_s + offset_s - day_s) / DAY_SECONDS);
	double noon_s = mean_noon_s - days * DAY_SECONDS;
	struct sun sun = sun_at(noon_s);
	double cosine = turn_cosine(place.lat, sun.declination);
	int noon;

	noon_s -= sun.equation_s;
	noon = minute_of_day(zone, noon_s, day);
	if (cosine >= 1)
		return (struct sun_day){noon, noon, false};
	if (cosine <= -1)
		return (struct sun_day){0, DAY_MIN, false};
	return (struct sun_day){
	    .sunrise = minute_of_day(zone, event_s(place, noon_s, -1), day),
	    .sunset = minute_of_day(zone, event_s(place, noon_s, 1), day),
	    .has_both = true,
	};
}
