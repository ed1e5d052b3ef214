/* Regions in one mapping: what belongs to whom, what children see, and what a program that expects
 * another layout is told. */
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

static void begins_as_defined(void **state)
{
	(void)state;
	assert_true(holds(region_common(map, &first), 'c', 100));
	assert_true(holds(region_common(map, &third), 0, 65));
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		assert_true(holds(region_slot(map, &second, slot), 0, 8));
		assert_true(holds(region_slot(map, &third, slot), 0, 65));
	}
}

/* Each part is filled with a letter of its own; then each still has its own. */
static void parts_do_not_overlap(void **state)
{
	(void)state;
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

static void no_two_parts_share_a_cache_line(void **state)
{
	(void)state;
	assert_int_equal((uintptr_t)region_common(map, &first) % REGION_ALIGNMENT, 0);
	assert_int_equal((uintptr_t)region_common(map, &third) % REGION_ALIGNMENT, 0);
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		assert_int_equal((uintptr_t)region_slot(map, &second, slot) % REGION_ALIGNMENT, 0);
		assert_int_equal((uintptr_t)region_slot(map, &third, slot) % REGION_ALIGNMENT, 0);
	}
}

static void children_share_it(void **state)
{
	char *shared = region_slot(map, &second, 1);
	pid_t child = fork();
	int status;

	(void)state;
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

static void another_layout_is_not_taken_for_its_own(void **state)
{
	struct region newer = second, larger = second, unknown = second;

	(void)state;
	newer.version++;
	larger.slot_size = 100;
	unknown.name = "fourth";
	assert_false(ends_the_process(&second, SLOTS - 1));
	assert_true(ends_the_process(&second, SLOTS));
	assert_true(ends_the_process(&newer, 0));
	assert_true(ends_the_process(&larger, 0));
	assert_true(ends_the_process(&unknown, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(begins_as_defined, open_map, close_map),
	    cmocka_unit_test_setup_teardown(parts_do_not_overlap, open_map, close_map),
	    cmocka_unit_test_setup_teardown(no_two_parts_share_a_cache_line, open_map, close_map),
	    cmocka_unit_test_setup_teardown(children_share_it, open_map, close_map),
	    cmocka_unit_test_setup_teardown(another_layout_is_not_taken_for_its_own, open_map,
					    close_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
