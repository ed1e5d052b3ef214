#include "../cmocka_test.h"
#include "base/arena.h"
#include "base/memory.h"

#include <stdalign.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static size_t malloc_count;

void *__wrap_malloc(size_t size)
{
	malloc_count++;
	return __real_malloc(size);
}

static void fill_and_check(const size_t *sizes, size_t count)
{
	struct arena arena = {0};
	unsigned char *objects[512];
	size_t total = 0;

	for (size_t i = 0; i < count; i++) {
		objects[i] = arena_alloc(&arena, sizes[i]);
		assert_int_equal((uintptr_t)objects[i] % alignof(max_align_t), 0);
		memset(objects[i], (int)(i & 0xff), sizes[i]);
		total += sizes[i];
	}
	assert_int_equal(arena.used_bytes, total);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(objects[i][j], i & 0xff);
	}
	arena_finish(&arena);
	assert_null(arena.blocks);
	assert_int_equal(arena.used_bytes, 0);
}

TEST(objects_are_aligned_and_apart)
{
	size_t sizes[512];

	for (size_t i = 0; i < array_length(sizes); i++)
		sizes[i] = i;
	fill_and_check(sizes, array_length(sizes));
	for (size_t i = 0; i < array_length(sizes); i++)
		sizes[i] = (i * 2654435761u) % 9000;
	fill_and_check(sizes, array_length(sizes));
}

TEST(sizes_around_a_block)
{
	for (size_t size = 4000; size < 4200; size++)
		fill_and_check((const size_t[]){1, size, 1, size, size, 3}, 6);
}

TEST(zalloc_clears_recycled_memory)
{
	for (int round = 0; round < 3; round++) {
		struct arena arena = {0};
		unsigned char *bytes = arena_zalloc(&arena, 3000);

		for (size_t i = 0; i < 3000; i++)
			assert_int_equal(bytes[i], 0);
		memset(bytes, 0xa5, 3000);
		arena_finish(&arena);
	}
	arena_drop_cache();
}

TEST(texts_are_terminated)
{
	struct arena arena = {0};
	struct str copy;
	struct str text;

	copy = arena_copy(&arena, STR("a\0b"));
	assert_int_equal(copy.length, 3);
	assert_memory_equal(copy.data, "a\0b", 4);
	copy = arena_copy(&arena, (struct str){0});
	assert_int_equal(copy.length, 0);
	assert_string_equal(copy.data, "");
	text = arena_printf(&arena, "%s-%d", "x", 42);
	assert_string_equal(text.data, "x-42");
	assert_int_equal(text.length, 4);
	text = arena_printf(&arena, "%*d", 10000, 7);
	assert_int_equal(text.length, 10000);
	assert_int_equal(text.data[9999], '7');
	arena_finish(&arena);
	arena_drop_cache();
}

/* Three objects of a third of a block fit into one. (The first version gave each its own.) */
TEST(blocks_are_filled)
{
	struct arena arena = {0};

	arena_drop_cache();
	malloc_count = 0;
	for (int i = 0; i < 300; i++)
		assert_non_null(arena_alloc(&arena, 1250));
	assert_in_range(malloc_count, 100, 102);
	arena_finish(&arena);
	arena_drop_cache();
}

TEST(large_object_keeps_the_front_block)
{
	struct arena arena = {0};

	arena_drop_cache();
	malloc_count = 0;
	for (int i = 0; i < 20; i++) {
		assert_non_null(arena_alloc(&arena, 100));
		assert_non_null(arena_alloc(&arena, 100000));
	}
	assert_int_equal(malloc_count, 1 + 20);
	arena_finish(&arena);
	arena_drop_cache();
}

TEST(blocks_are_recycled)
{
#ifdef HAS_ASAN
	skip(); /* nothing is reused there */
#endif
	arena_drop_cache();
	malloc_count = 0;
	for (int round = 0; round < 100; round++) {
		struct arena arena = {0};

		for (int i = 0; i < 10; i++)
			assert_non_null(arena_alloc(&arena, 3000));
		arena_finish(&arena);
	}
	assert_int_equal(malloc_count, 10);
	arena_drop_cache();
}

TEST(recycled_blocks_are_bounded)
{
	struct arena arena = {0};

#ifdef HAS_ASAN
	skip();
#endif
	arena_drop_cache();
	for (int i = 0; i < 1000; i++)
		assert_non_null(arena_alloc(&arena, 4000));
	arena_finish(&arena);
	malloc_count = 0;
	for (int i = 0; i < 1000; i++)
		assert_non_null(arena_alloc(&arena, 4000));
	assert_int_equal(malloc_count, 1000 - 64);
	arena_finish(&arena);
	arena_drop_cache();
}

TEST(gaps_are_poisoned)
{
#ifdef HAS_ASAN
	struct arena arena = {0};

	for (size_t size = 1; size < 200; size++) {
		char *object = arena_alloc(&arena, size);

		assert_null(__asan_region_is_poisoned(object, size));
		for (size_t i = 0; i < 16; i++)
			assert_true(__asan_address_is_poisoned(object + size + i));
	}
	arena_finish(&arena);
#else
	skip();
#endif
}

TEST(finished_memory_is_poisoned)
{
#ifdef HAS_ASAN
	struct arena arena = {0};
	char *object = arena_alloc(&arena, 64);

	arena_finish(&arena);
	assert_true(__asan_address_is_poisoned(object));
#else
	skip();
#endif
}

RUN_TESTS(NULL, NULL)
