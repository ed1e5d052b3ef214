#include "delivery_private.h"

#include <stdlib.h>

/* Names of time zones, each kept once: thousands of panels are in a few zones. */

/* The tz database has 600 names. A zone that nobody knows is UTC: domain/timezone.h. */
enum { ZONES_MAX = 2000 };

struct zone {
	struct map_node by_name;
	char name[];
};

struct str zone_keep(struct delivery *delivery, struct str name)
{
	struct map_node *node = map_find(&delivery->zones, name);
	struct zone *zone;

	if (node)
		return node->key;
	if (delivery->zones.count >= ZONES_MAX)
		return STR("UTC");
	zone = memory_alloc(sizeof(*zone) + name.length + 1);
	memcpy(zone->name, name.data, name.length);
	zone->name[name.length] = '\0';
	map_insert(&delivery->zones, &zone->by_name, (struct str){zone->name, name.length});
	return zone->by_name.key;
}

void zones_finish(struct delivery *delivery)
{
	struct map_node *node;

	while ((node = map_next(&delivery->zones, NULL))) {
		map_remove(&delivery->zones, node);
		free(container_of(node, struct zone, by_name));
	}
	map_finish(&delivery->zones);
}
