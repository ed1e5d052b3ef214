/* Memory that the worker processes of an instance share: named regions in one mapping, which the
 * supervisor makes before it forks the first worker.
 *
 *   directory | common part of a | slots of a: worker 0, 1, ... | common part of b | ...
 *
 * A module that shares data defines its region and finds it again by that definition; main has the
 * list of all regions. The mapping begins with a directory of names and versions, so that a program
 * that did not make it can tell whether it understands the contents. The directory is read once, so
 * no other process can move a region afterwards. The contents of a region are the module's:
 * atomics, since a process may die at any moment. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { REGION_NAME_BYTES = 24, REGION_ALIGNMENT = 64 /* a cache line */ };

struct region {
	const char *name;	    /* unique, shorter than REGION_NAME_BYTES */
	uint32_t version;	    /* version of the layout; raise it with every change */
	size_t size;		    /* bytes that all workers share; 0: none */
	size_t slot_size;	    /* bytes for each worker; 0: none. Slots do not share cache
				     * lines */
	void (*init)(void *common); /* fills in the zeroed common part; NULL: it stays zeroed */
};

struct region_map;

/* Maps all regions, zeroed and then passed to their init(); children inherit the mapping. Returns
 * NULL with errno if the system has no memory. Free with region_map_destroy(). */
struct region_map *region_map_create(const struct region *const *regions, unsigned region_count,
				     unsigned slot_count);
/* Works as region_map_create(), but in a file in memory, so that a program that replaces this one
 * can map it, too. *ret_fd is that file, close-on-exec; the caller closes it. */
struct region_map *region_map_create_file(const struct region *const *regions,
					  unsigned region_count, unsigned slot_count, int *ret_fd);

/* Maps the file fd that another program has made, and sets *ret_fd to fd. If its regions or slots
 * differ from these, makes a new file instead: a region that both have in the same version and size
 * begins as a copy of the old one. Processes that have the old file mapped keep it. Returns NULL
 * with errno; EPROTO: the file holds no mapping. fd stays open in any case. */
struct region_map *region_map_adopt(int fd, const struct region *const *regions,
				    unsigned region_count, unsigned slot_count, int *ret_fd);

/* Unmaps the regions in this process only. NULL is allowed. */
void region_map_destroy(struct region_map *map);

/* Returns the region's common part, or the slot of a worker: aligned to REGION_ALIGNMENT, valid as
 * long as the mapping. If the mapping does not hold the region in this version, or the slot, the
 * process ends. */
void *region_common(struct region_map *map, const struct region *region);
void *region_slot(struct region_map *map, const struct region *region, unsigned slot);
