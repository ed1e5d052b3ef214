/* Memory that the worker processes of an instance share: named regions in one mapping, which the
 * supervisor makes before it forks the first worker.
 *
 *   directory | common part of a | slots of a: worker 0, 1, ... | common part of b | ...
 *
 * A module that shares something defines its region and finds it again by that definition; the
 * list of all regions is main's. The mapping begins with a directory of names and versions, so
 * that a program that did not make it can tell whether it understands what lies there. That is
 * read once: where a region lies, no other process can change afterwards. What lies in a region is
 * the module's: atomics, since a process may die at any moment. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { REGION_NAME_BYTES = 24, REGION_ALIGNMENT = 64 /* a cache line */ };

struct region {
	const char *name;	    /* shorter than REGION_NAME_BYTES; no two are alike */
	uint32_t version;	    /* of the layout; to be raised with every change of it */
	size_t size;		    /* bytes that all workers share; 0: none */
	size_t slot_size;	    /* bytes for each worker; 0: none. No two share a cache line */
	void (*init)(void *common); /* of the zeroed common part; NULL: zeroes are right */
};

struct region_map;

/* Maps all of them, zeroed but for what their init() does; children inherit the mapping. NULL with
 * errno where the system has no memory. region_map_destroy() it. */
struct region_map *region_map_create(const struct region *const *regions, unsigned region_count,
				     unsigned slot_count);
/* The same in a file of memory, so that a program that takes the place of this one can map it, too:
 * *ret_fd, closed on exec, to be closed. */
struct region_map *region_map_create_file(const struct region *const *regions,
					  unsigned region_count, unsigned slot_count, int *ret_fd);

/* Maps the file that another program has made, and *ret_fd is fd. Where its regions or slots are
 * others than these, a new file takes its place, in which a region that both have in the same
 * version and size begins with what the other one holds. Who has the old one mapped goes on with
 * that. NULL with errno; EPROTO: the file holds no mapping. fd stays open in any case. */
struct region_map *region_map_adopt(int fd, const struct region *const *regions,
				    unsigned region_count, unsigned slot_count, int *ret_fd);

/* Unmaps it in this process alone. NULL is allowed. */
void region_map_destroy(struct region_map *map);

/* Aligned to REGION_ALIGNMENT, valid as long as the mapping. The mapping must hold the region in
 * this version, and the slot: else the process ends. */
void *region_common(struct region_map *map, const struct region *region);
void *region_slot(struct region_map *map, const struct region *region, unsigned slot);
