/* Hash map with nodes inside the mapped objects. Keys are bytes that live in the object.
 *
 * The hash is SipHash with a random key of the process, so that no caller can choose keys that
 * collide. */
#pragma once

#include <text/str.h>

#include <stdint.h>

struct map_node {
	struct map_node *next;
	uint64_t hash;
	struct str key; /* points into the object; must not change while mapped */
};

struct map {
	struct map_node **buckets;
	size_t bucket_count; /* a power of two, or 0 */
	size_t count;
};

/* A zeroed struct map is valid and empty. map_finish() frees the buckets, not the objects. */
void map_finish(struct map *map);

/* Returns the node with this key, or NULL. */
struct map_node *map_find(const struct map *map, struct str key);

/* Inserts a node. Its key must not be in the map yet; the key's bytes stay the caller's. */
void map_insert(struct map *map, struct map_node *node, struct str key);

/* Removes a node, which must be in the map. */
void map_remove(struct map *map, struct map_node *node);

/* Returns the node after this one (NULL: the first), in no particular order; NULL at the end.
 * Nothing may be inserted during a walk; removing nodes already seen, the current one not included,
 * is fine. */
struct map_node *map_next(const struct map *map, const struct map_node *node);
