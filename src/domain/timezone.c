#include "domain/timezone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The tz database has 600 names. A slot of the clock is valid for one quarter of an hour. */
enum { CACHED_ZONES = 1024, ZONE_LENGTH_MAX = 39 };

struct cached_zone {
	char name[ZONE_LENGTH_MAX + 1];
	int64_t slot; /* quarter of an hour since 1970 */
	int offset_s;
};

static int look_up(const char *zone, int64_t slot)
{
	char value[ZONE_LENGTH_MAX + 2];
	time_t moment = (time_t)(slot * TIMEZONE_SLOT_S);
	struct tm local;

	/* The colon keeps glibc from reading "EST5EDT" and the like as a rule of its own. */
	snprintf(value, sizeof(value), ":%s", zone);
	setenv("TZ", value, 1);
	tzset();
	localtime_r(&moment, &local);
	setenv("TZ", "UTC0", 1);
	tzset();
	return (int)local.tm_gmtoff;
}

static struct cached_zone *place_of(const char *zone)
{
	static struct cached_zone cache[CACHED_ZONES];
	uint32_t hash = 2166136261; /* FNV-1a */

	for (const char *c = zone; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619;
	return &cache[hash % CACHED_ZONES];
}

int timezone_offset_s(const char *zone, int64_t wall_s)
{
	int64_t slot = wall_s / TIMEZONE_SLOT_S - (wall_s % TIMEZONE_SLOT_S < 0);
	struct cached_zone *cached;

	if (strlen(zone) > ZONE_LENGTH_MAX)
		return 0;
	cached = place_of(zone);
	if (cached->slot == slot && strcmp(cached->name, zone) == 0)
		return cached->offset_s;
	snprintf(cached->name, sizeof(cached->name), "%s", zone);
	cached->slot = slot;
	cached->offset_s = look_up(zone, slot);
	return cached->offset_s;
}
