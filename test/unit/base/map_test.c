#include "../cmocka_test.h"
#include "base/map.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { OBJECTS = 3000 };

struct object {
	struct map_node node;
	char name[16];
	bool is_mapped;
	unsigned seen;
};

static struct object objects[OBJECTS];

static int make_objects(void **state)
{
	(void)state;
	memset(objects, 0, sizeof(objects));
	for (int i = 0; i < OBJECTS; i++)
		snprintf(objects[i].name, sizeof(objects[i].name), "name-%d", i);
	return 0;
}

static void insert(struct map *map, struct object *object)
{
	map_insert(map, &object->node, str_from(object->name));
	object->is_mapped = true;
}

static void assert_as_expected(const struct map *map, size_t count)
{
	size_t seen = 0;

	assert_int_equal(map->count, count);
	for (int i = 0; i < OBJECTS; i++) {
		struct map_node *found = map_find(map, str_from(objects[i].name));

		assert_ptr_equal(found, objects[i].is_mapped ? &objects[i].node : NULL);
		objects[i].seen = 0;
	}
	for (struct map_node *node = map_next(map, NULL); node; node = map_next(map, node)) {
		struct object *object = container_of(node, struct object, node);

		assert_true(object->is_mapped);
		assert_int_equal(object->seen++, 0);
		seen++;
	}
	assert_int_equal(seen, count);
}

TEST(empty_map)
{
	struct map map = {0};

	assert_null(map_find(&map, STR("a")));
	assert_null(map_next(&map, NULL));
	map_finish(&map);
}

TEST_IN(random_changes, make_objects, NULL)
{
	struct map map = {0};
	size_t count = 0;

	srand(1);
	for (int change = 0; change < 30000; change++) {
		struct object *object = &objects[rand() % OBJECTS];

		if (object->is_mapped) {
			map_remove(&map, &object->node);
			object->is_mapped = false;
			count--;
		} else {
			insert(&map, object);
			count++;
		}
		if (change % 3000 == 0)
			assert_as_expected(&map, count);
	}
	assert_as_expected(&map, count);
	map_finish(&map);
	assert_int_equal(map.count, 0);
}

/* Removes as a sweep does: finds the next entry before it removes the current one. */
TEST_IN(removal_during_a_walk, make_objects, NULL)
{
	struct map map = {0};
	struct map_node *node;
	size_t kept = 0;

	for (int i = 0; i < OBJECTS; i++)
		insert(&map, &objects[i]);
	node = map_next(&map, NULL);
	while (node) {
		struct map_node *next = map_next(&map, node);
		struct object *object = container_of(node, struct object, node);

		assert_int_equal(object->seen++, 0);
		if ((object - objects) % 3) {
			map_remove(&map, node);
			object->is_mapped = false;
		} else {
			kept++;
		}
		node = next;
	}
	for (int i = 0; i < OBJECTS; i++)
		assert_int_equal(objects[i].seen, 1);
	assert_as_expected(&map, kept);
	map_finish(&map);
}

TEST(keys_are_bytes)
{
	struct map map = {0};
	struct map_node nodes[4];

	map_insert(&map, &nodes[0], STR("a\0b"));
	map_insert(&map, &nodes[1], STR("a\0c"));
	map_insert(&map, &nodes[2], STR("a"));
	map_insert(&map, &nodes[3], (struct str){0});
	assert_ptr_equal(map_find(&map, STR("a\0b")), &nodes[0]);
	assert_ptr_equal(map_find(&map, STR("a\0c")), &nodes[1]);
	assert_ptr_equal(map_find(&map, STR("a")), &nodes[2]);
	assert_ptr_equal(map_find(&map, STR("")), &nodes[3]);
	assert_null(map_find(&map, STR("a\0")));
	map_finish(&map);
}

RUN_TESTS(NULL, NULL)
