/* Hash map with nodes inside the mapped objects. Keys are bytes that live in the object.
 *
 * Hashed with SipHash under a random key of the process, so that no caller can choose keys that
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

/* A zeroed struct map is a valid empty one. finish frees the buckets, not the objects. */
void map_finish(struct map *map);

/* The node with this key, or NULL. */
struct map_node *map_find(const struct map *map, struct str key);

/* The key must not be in the map yet. */
void map_insert(struct map *map, struct map_node *node, struct str key);

/* The node must be in the map. */
void map_remove(struct map *map, struct map_node *node);

/* Any node behind this one (NULL: the first), in no order; NULL at the end. Nothing may be inserted
 * during a walk; removing nodes already seen, the current one not included, is fine. */
struct map_node *map_next(const struct map *map, const struct map_node *node);
