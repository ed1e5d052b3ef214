#include "domain/timezone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Zones asked for lately; a slot of the clock is valid for one quarter of an hour. */
enum { CACHED_ZONES = 64, ZONE_LENGTH_MAX = 63 };

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

int timezone_offset_s(const char *zone, int64_t wall_s)
{
	static struct cached_zone cache[CACHED_ZONES];
	static unsigned next_victim;
	int64_t slot = wall_s / TIMEZONE_SLOT_S - (wall_s % TIMEZONE_SLOT_S < 0);
	struct cached_zone *entry = NULL;

	if (strlen(zone) > ZONE_LENGTH_MAX)
		return 0;
	for (unsigned i = 0; i < CACHED_ZONES && !entry; i++) {
		if (strcmp(cache[i].name, zone) == 0)
			entry = &cache[i];
	}
	if (entry && entry->slot == slot)
		return entry->offset_s;
	if (!entry)
		entry = &cache[next_victim++ % CACHED_ZONES];
	snprintf(entry->name, sizeof(entry->name), "%s", zone);
	entry->slot = slot;
	entry->offset_s = look_up(zone, slot);
	return entry->offset_s;
}
