#include "base/region.h"
#include "base/require.h"

#include <string.h>
#include <sys/mman.h>

struct directory_entry {
	char name[REGION_NAME_BYTES];
	uint32_t version;
	size_t size;
	size_t slot_size; /* rounded up to whole cache lines */
	size_t offset;	  /* of the common part; the slots follow it */
};

struct region_map {
	size_t size; /* of the whole mapping */
	unsigned region_count;
	unsigned slot_count;
	struct directory_entry entries[];
};

static size_t align(size_t size)
{
	return (size + REGION_ALIGNMENT - 1) / REGION_ALIGNMENT * REGION_ALIGNMENT;
}

static size_t directory_size(unsigned region_count)
{
	return align(sizeof(struct region_map) + region_count * sizeof(struct directory_entry));
}

static size_t space_of(const struct region *region, unsigned slot_count)
{
	return align(region->size) + slot_count * align(region->slot_size);
}

static void *at(struct region_map *map, size_t offset)
{
	return (char *)map + offset;
}

static void fill(struct region_map *map, const struct region *const *regions)
{
	size_t offset = directory_size(map->region_count);

	for (unsigned i = 0; i < map->region_count; i++) {
		const struct region *region = regions[i];
		struct directory_entry *entry = &map->entries[i];

		require(strlen(region->name) < sizeof(entry->name));
		memcpy(entry->name, region->name, strlen(region->name));
		entry->version = region->version;
		entry->size = region->size;
		entry->slot_size = align(region->slot_size);
		entry->offset = offset;
		if (region->init)
			region->init(at(map, offset));
		offset += space_of(region, map->slot_count);
	}
}

struct region_map *region_map_create(const struct region *const *regions, unsigned region_count,
				     unsigned slot_count)
{
	size_t size = directory_size(region_count);
	struct region_map *map;

	for (unsigned i = 0; i < region_count; i++)
		size += space_of(regions[i], slot_count);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	map->size = size;
	map->region_count = region_count;
	map->slot_count = slot_count;
	fill(map, regions);
	return map;
}

void region_map_destroy(struct region_map *map)
{
	if (map)
		munmap(map, map->size);
}

static const struct directory_entry *find(const struct region_map *map, const struct region *region)
{
	const struct directory_entry *entry = NULL;

	for (unsigned i = 0; i < map->region_count && !entry; i++)
		if (strcmp(map->entries[i].name, region->name) == 0)
			entry = &map->entries[i];
	require(entry && entry->version == region->version && entry->size == region->size &&
		entry->slot_size == align(region->slot_size));
	return entry;
}

void *region_common(struct region_map *map, const struct region *region)
{
	const struct directory_entry *entry = find(map, region);

	require(region->size > 0);
	return at(map, entry->offset);
}

void *region_slot(struct region_map *map, const struct region *region, unsigned slot)
{
	const struct directory_entry *entry = find(map, region);

	require(region->slot_size > 0 && slot < map->slot_count);
	return at(map, entry->offset + align(entry->size) + slot * entry->slot_size);
}
