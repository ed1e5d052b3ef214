#include "base/region.h"
#include "base/memory.h"
#include "base/require.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* FORMAT: of the directory. */
enum { FORMAT = 0x44520001, REGIONS_MAX = 256, SLOTS_MAX = 64 * 1024 };

struct directory_entry {
	char name[REGION_NAME_BYTES];
	uint32_t version;
	size_t size;
	size_t slot_size; /* rounded up to whole cache lines */
	size_t offset;	  /* of the common part; the slots follow it */
};

/* Start of the mapping, for another program. */
struct directory {
	uint32_t format;
	size_t size; /* of the whole mapping */
	unsigned region_count;
	unsigned slot_count;
	struct directory_entry entries[];
};

/* A compromised worker can write to the whole mapping. So each process uses its own copy of the
 * directory. */
struct region_map {
	void *base;
	struct directory directory;
};

static size_t align(size_t size)
{
	return (size + REGION_ALIGNMENT - 1) / REGION_ALIGNMENT * REGION_ALIGNMENT;
}

static size_t directory_size(unsigned region_count)
{
	return align(sizeof(struct directory) + region_count * sizeof(struct directory_entry));
}

static size_t space_of(const struct region *region, unsigned slot_count)
{
	return align(region->size) + slot_count * align(region->slot_size);
}

static void *at(const struct region_map *map, size_t offset)
{
	return (char *)map->base + offset;
}

static void fill(struct region_map *map, const struct region *const *regions)
{
	struct directory *directory = &map->directory;
	size_t offset = directory_size(directory->region_count);

	for (unsigned i = 0; i < directory->region_count; i++) {
		const struct region *region = regions[i];
		struct directory_entry *entry = &directory->entries[i];

		require(strlen(region->name) < sizeof(entry->name));
		memcpy(entry->name, region->name, strlen(region->name));
		entry->version = region->version;
		entry->size = region->size;
		entry->slot_size = align(region->slot_size);
		entry->offset = offset;
		if (region->init)
			region->init(at(map, offset));
		offset += space_of(region, directory->slot_count);
	}
	memcpy(map->base, directory,
	       sizeof(*directory) + directory->region_count * sizeof(directory->entries[0]));
}

static size_t whole_size(const struct region *const *regions, unsigned region_count,
			 unsigned slot_count)
{
	size_t size = directory_size(region_count);

	for (unsigned i = 0; i < region_count; i++)
		size += space_of(regions[i], slot_count);
	return size;
}

/* fd: -1 for memory without a file. Returns NULL with errno on failure. */
static void *map_whole(int fd, size_t size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return NULL;
	(void)madvise(base, size, MADV_DONTDUMP); /* keys lie in it */
	return base;
}

/* Makes a region map that has no mapping yet. */
static struct region_map *new_map(unsigned region_count)
{
	return memory_zalloc(sizeof(struct region_map) +
			     region_count * sizeof(struct directory_entry));
}

/* fd: -1, or a file of the whole size. */
static struct region_map *create(int fd, size_t size, const struct region *const *regions,
				 unsigned region_count, unsigned slot_count)
{
	void *base = map_whole(fd, size);
	struct region_map *map;

	if (!base)
		return NULL;
	map = new_map(region_count);
	map->base = base;
	map->directory.format = FORMAT;
	map->directory.size = size;
	map->directory.region_count = region_count;
	map->directory.slot_count = slot_count;
	fill(map, regions);
	return map;
}

struct region_map *region_map_create(const struct region *const *regions, unsigned region_count,
				     unsigned slot_count)
{
	return create(-1, whole_size(regions, region_count, slot_count), regions, region_count,
		      slot_count);
}

struct region_map *region_map_create_file(const struct region *const *regions,
					  unsigned region_count, unsigned slot_count, int *ret_fd)
{
	size_t size = whole_size(regions, region_count, slot_count);
	int fd = memfd_create("displayd-shared", MFD_CLOEXEC), error;
	struct region_map *map = NULL;

	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		map = create(fd, size, regions, region_count, slot_count);
	if (map) {
		*ret_fd = fd;
		return map;
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return NULL;
}

/* ---- mapping of another program ---- */

/* Whether all regions of the directory are inside the mapping. */
static bool is_sound(const struct directory *directory, size_t size)
{
	if (directory->format != FORMAT || directory->size != size ||
	    directory->slot_count > SLOTS_MAX)
		return false;
	for (unsigned i = 0; i < directory->region_count; i++) {
		const struct directory_entry *entry = &directory->entries[i];
		size_t left = entry->offset <= size ? size - entry->offset : 0;

		if (entry->size > left || entry->slot_size > left ||
		    align(entry->size) + directory->slot_count * entry->slot_size > left)
			return false;
	}
	return true;
}

/* Copies the file's directory before checking it: the original might change after the check.
 * Returns NULL with errno on failure. */
static struct region_map *open_other(int fd, size_t size)
{
	struct region_map *map = new_map(REGIONS_MAX);
	struct directory *copy = &map->directory;
	size_t length = sizeof(*copy) + REGIONS_MAX * sizeof(copy->entries[0]);

	if (pread(fd, copy, length < size ? length : size, 0) < (ssize_t)sizeof(*copy) ||
	    copy->region_count > REGIONS_MAX || directory_size(copy->region_count) > size ||
	    !is_sound(copy, size))
		errno = EPROTO;
	else
		map->base = map_whole(fd, size);
	if (map->base)
		return map;
	free(map);
	return NULL;
}

/* Whether both directories have the same regions at the same offsets. */
static bool is_same(const struct directory *one, const struct directory *other)
{
	return one->size == other->size && one->slot_count == other->slot_count &&
	       one->region_count == other->region_count &&
	       memcmp(one->entries, other->entries, one->region_count * sizeof(one->entries[0])) ==
		   0;
}

static const struct directory_entry *find_like(const struct directory *directory,
					       const struct directory_entry *wanted)
{
	for (unsigned i = 0; i < directory->region_count; i++) {
		const struct directory_entry *entry = &directory->entries[i];

		if (strncmp(entry->name, wanted->name, REGION_NAME_BYTES) == 0 &&
		    entry->version == wanted->version && entry->size == wanted->size &&
		    entry->slot_size == wanted->slot_size)
			return entry;
	}
	return NULL;
}

static void copy_regions(struct region_map *to, const struct region_map *from)
{
	unsigned slots = to->directory.slot_count < from->directory.slot_count
			     ? to->directory.slot_count
			     : from->directory.slot_count;

	for (unsigned i = 0; i < to->directory.region_count; i++) {
		const struct directory_entry *entry = &to->directory.entries[i];
		const struct directory_entry *like = find_like(&from->directory, entry);

		if (like)
			memcpy(at(to, entry->offset), at(from, like->offset),
			       align(entry->size) + slots * entry->slot_size);
	}
}

struct region_map *region_map_adopt(int fd, const struct region *const *regions,
				    unsigned region_count, unsigned slot_count, int *ret_fd)
{
	struct region_map *map, *other;
	struct stat info;
	int own_fd;

	if (fstat(fd, &info) < 0)
		return NULL;
	other = open_other(fd, (size_t)info.st_size);
	if (!other)
		return NULL;
	map = region_map_create_file(regions, region_count, slot_count, &own_fd);
	if (!map) {
		int error = errno;

		region_map_destroy(other);
		errno = error;
		return NULL;
	}
	if (is_same(&map->directory, &other->directory)) {
		close(own_fd);
		region_map_destroy(map);
		*ret_fd = fd;
		return other;
	}
	copy_regions(map, other);
	region_map_destroy(other);
	*ret_fd = own_fd;
	return map;
}

void region_map_destroy(struct region_map *map)
{
	if (map)
		munmap(map->base, map->directory.size);
	free(map);
}

static const struct directory_entry *region_find(const struct region_map *map,
						 const struct region *region)
{
	const struct directory *directory = &map->directory;
	const struct directory_entry *entry = NULL;

	for (unsigned i = 0; i < directory->region_count && !entry; i++)
		if (strcmp(directory->entries[i].name, region->name) == 0)
			entry = &directory->entries[i];
	require(entry && entry->version == region->version && entry->size == region->size &&
		entry->slot_size == align(region->slot_size));
	return entry;
}

void *region_common(struct region_map *map, const struct region *region)
{
	const struct directory_entry *entry = region_find(map, region);

	require(region->size > 0);
	return at(map, entry->offset);
}

void *region_slot(struct region_map *map, const struct region *region, unsigned slot)
{
	const struct directory_entry *entry = region_find(map, region);

	require(region->slot_size > 0 && slot < map->directory.slot_count);
	return at(map, entry->offset + align(entry->size) + slot * entry->slot_size);
}
