/* Regions in one mapping: owners, views of children, and errors for a program that expects
 * another layout. */
#include "../cmocka_test.h"
#include "base/region.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 3 };

static void fill_common(void *common)
{
	memset(common, 'c', 100);
}

static const struct region first = {
    .name = "first", .version = 1, .size = 100, .init = fill_common};
static const struct region second = {.name = "second", .version = 7, .slot_size = 8};
static const struct region third = {.name = "third", .version = 1, .size = 65, .slot_size = 65};
static const struct region *const regions[] = {&first, &second, &third};

static struct region_map *map;

static int open_map(void **state)
{
	(void)state;
	map = region_map_create(regions, 3, SLOTS);
	return map ? 0 : -1;
}

static int close_map(void **state)
{
	(void)state;
	region_map_destroy(map);
	return 0;
}

static bool holds(const void *memory, char c, size_t size)
{
	const char *text = memory;

	for (size_t i = 0; i < size; i++)
		if (text[i] != c)
			return false;
	return true;
}

TEST_IN(begins_as_defined, open_map, close_map)
{
	assert_true(holds(region_common(map, &first), 'c', 100));
	assert_true(holds(region_common(map, &third), 0, 65));
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		assert_true(holds(region_slot(map, &second, slot), 0, 8));
		assert_true(holds(region_slot(map, &third, slot), 0, 65));
	}
}

/* Fills each part with a letter of its own, and checks that each still has it. */
TEST_IN(parts_do_not_overlap, open_map, close_map)
{
	memset(region_common(map, &first), 'a', first.size);
	memset(region_common(map, &third), 'b', third.size);
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		memset(region_slot(map, &second, slot), 'k' + (int)slot, second.slot_size);
		memset(region_slot(map, &third, slot), 'x' + (int)slot, third.slot_size);
	}
	assert_true(holds(region_common(map, &first), 'a', first.size));
	assert_true(holds(region_common(map, &third), 'b', third.size));
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		assert_true(holds(region_slot(map, &second, slot), (char)('k' + slot), 8));
		assert_true(holds(region_slot(map, &third, slot), (char)('x' + slot), 65));
	}
}

TEST_IN(no_two_parts_share_a_cache_line, open_map, close_map)
{
	assert_int_equal((uintptr_t)region_common(map, &first) % REGION_ALIGNMENT, 0);
	assert_int_equal((uintptr_t)region_common(map, &third) % REGION_ALIGNMENT, 0);
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		assert_int_equal((uintptr_t)region_slot(map, &second, slot) % REGION_ALIGNMENT, 0);
		assert_int_equal((uintptr_t)region_slot(map, &third, slot) % REGION_ALIGNMENT, 0);
	}
}

TEST_IN(children_share_it, open_map, close_map)
{
	char *shared = region_slot(map, &second, 1);
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		*shared = 'y';
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(*shared, 'y');
}

static void find(const struct region *region, unsigned slot)
{
	if (region->slot_size)
		region_slot(map, region, slot);
	else
		region_common(map, region);
}

static bool ends_the_process(const struct region *region, unsigned slot)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		struct rlimit no_core = {0};

		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		find(region, slot);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_IN(another_layout_is_not_taken_for_its_own, open_map, close_map)
{
	struct region newer = second, larger = second, unknown = second;

	newer.version++;
	larger.slot_size = 100;
	unknown.name = "fourth";
	assert_false(ends_the_process(&second, SLOTS - 1));
	assert_true(ends_the_process(&second, SLOTS));
	assert_true(ends_the_process(&newer, 0));
	assert_true(ends_the_process(&larger, 0));
	assert_true(ends_the_process(&unknown, 0));
}

/* A compromised worker writes to the whole mapping. */
TEST(places_do_not_follow_what_others_write)
{
	void *common, *slot;
	char spoiled[128]; /* shorter than the directory */
	int fd;

	map = region_map_create_file(regions, 3, SLOTS, &fd);
	assert_non_null(map);
	common = region_common(map, &first);
	slot = region_slot(map, &third, SLOTS - 1);
	memset(spoiled, 0x7f, sizeof(spoiled));
	assert_int_equal(pwrite(fd, spoiled, sizeof(spoiled), 0), sizeof(spoiled));
	assert_ptr_equal(region_common(map, &first), common);
	assert_ptr_equal(region_slot(map, &third, SLOTS - 1), slot);
	assert_true(holds(common, 'c', 100));
	region_map_destroy(map);
	close(fd);
}

/* ---- another program maps it ---- */

/* Its descriptor is not needed any more. */
static struct region_map *adopt(int fd, const struct region *const *wanted, unsigned count,
				unsigned slots)
{
	int own = -1;
	struct region_map *adopted = region_map_adopt(fd, wanted, count, slots, &own);

	if (adopted && own != fd)
		close(own);
	return adopted;
}

TEST(the_same_layout_is_shared)
{
	struct region_map *one, *other;
	int fd;

	one = region_map_create_file(regions, 2, SLOTS, &fd);
	assert_non_null(one);
	other = adopt(fd, regions, 2, SLOTS);
	assert_non_null(other);
	memset(region_slot(one, &second, 2), 'x', 8);
	assert_true(holds(region_slot(other, &second, 2), 'x', 8));
	region_map_destroy(one);
	region_map_destroy(other);
	close(fd);
}

TEST(another_layout_takes_over_what_it_knows)
{
	static const struct region newer = {.name = "third", .version = 2, .size = 65};
	static const struct region *const others[] = {&newer, &second, &first};
	struct region_map *one, *other;
	int fd;

	one = region_map_create_file(regions, 3, SLOTS, &fd);
	assert_non_null(one);
	memset(region_common(one, &first), 'y', 100);
	memset(region_slot(one, &second, 2), 'x', 8);
	memset(region_common(one, &third), 'z', 65);
	other = adopt(fd, others, 3, SLOTS + 2);
	assert_non_null(other);
	assert_true(holds(region_common(other, &first), 'y', 100));
	assert_true(holds(region_slot(other, &second, 2), 'x', 8));
	assert_true(holds(region_slot(other, &second, SLOTS), 0, 8));
	assert_true(holds(region_common(other, &newer), 0, 65));
	memset(region_common(one, &first), 'a', 100);
	assert_true(holds(region_common(other, &first), 'y', 100));
	region_map_destroy(one);
	region_map_destroy(other);
	close(fd);
}

/* Damages each number of the directory in turn. */
TEST(what_is_no_mapping_is_refused)
{
	struct region_map *one;
	char spoiled[2048];
	int fd;
	ssize_t size;

	one = region_map_create_file(regions, 3, SLOTS, &fd);
	assert_non_null(one);
	size = pread(fd, spoiled, sizeof(spoiled), 0);
	assert_true(size > 256);
	for (off_t at = 0; at < 200; at += 4) {
		uint32_t huge = 0xfffffff0, before;
		struct region_map *adopted;

		assert_int_equal(pread(fd, &before, 4, at), 4);
		assert_int_equal(pwrite(fd, &huge, 4, at), 4);
		/* a name, a version or padding: a new mapping */
		adopted = adopt(fd, regions, 3, SLOTS);
		region_map_destroy(adopted);
		assert_int_equal(pwrite(fd, &before, 4, at), 4);
	}
	assert_int_equal(ftruncate(fd, 10), 0);
	assert_null(adopt(fd, regions, 3, SLOTS));
	close(fd);
	region_map_destroy(one);
}

RUN_TESTS(NULL, NULL)
