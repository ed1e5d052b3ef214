#include "base/arena.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
enum { GAP_BYTES = 16, CACHED_BLOCKS_MAX = 0 };
#define POISON(memory, size) ASAN_POISON_MEMORY_REGION(memory, size)
#define UNPOISON(memory, size) ASAN_UNPOISON_MEMORY_REGION(memory, size)
#else
enum { GAP_BYTES = 0, CACHED_BLOCKS_MAX = 64 };
#define POISON(memory, size) ((void)(memory), (void)(size))
#define UNPOISON(memory, size) ((void)(memory), (void)(size))
#endif

enum { ALIGNMENT = alignof(max_align_t), BLOCK_BYTES = 4096 };

struct arena_block {
	struct arena_block *next;
	size_t capacity; /* bytes in data */
	size_t used;
	alignas(max_align_t) char data[];
};

static _Thread_local struct {
	struct arena_block *first;
	int count;
} cache;

static struct arena_block *block_take(size_t capacity)
{
	struct arena_block *block;

	if (capacity == BLOCK_BYTES && cache.first) {
		block = cache.first;
		cache.first = block->next;
		cache.count--;
	} else {
		block = memory_alloc(sizeof(*block) + capacity);
		block->capacity = capacity;
	}
	block->used = 0;
	POISON(block->data, block->capacity);
	return block;
}

static void block_give_back(struct arena_block *block)
{
	UNPOISON(block->data, block->capacity);
	if (block->capacity == BLOCK_BYTES && cache.count < CACHED_BLOCKS_MAX) {
		block->next = cache.first;
		cache.first = block;
		cache.count++;
	} else {
		free(block);
	}
}

void arena_finish(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *block = arena->blocks;

		arena->blocks = block->next;
		block_give_back(block);
	}
	arena->used_bytes = 0;
}

void arena_reserve(struct arena *arena, size_t size)
{
	require(!arena->blocks);
	arena->blocks = block_take(size);
	arena->blocks->next = NULL;
}

/* Returns the bytes of an object with the gap after it; even an empty one has some. */
static size_t object_bytes(size_t size)
{
	return ((size + !size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1)) + GAP_BYTES;
}

static size_t block_room(const struct arena_block *block)
{
	return block->capacity - block->used;
}

/* Adds a block for an object that does not fit into the front block. The new block becomes the
 * front only if it has more room left after this object than the old front. Not inlined, so that
 * arena_alloc() needs no stack frame. */
__attribute__((noinline, cold)) static struct arena_block *add_block(struct arena *arena,
								     size_t need)
{
	struct arena_block *front = arena->blocks;
	struct arena_block *block;

	block = block_take(need > BLOCK_BYTES ? need : BLOCK_BYTES);
	if (front && block_room(front) > block_room(block) - need) {
		block->next = front->next;
		front->next = block;
	} else {
		block->next = front;
		arena->blocks = block;
	}
	return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t need = object_bytes(size);
	struct arena_block *block = arena->blocks;
	void *memory;

	require(size <= SIZE_MAX / 2);
	if (!block || block_room(block) < need)
		block = add_block(arena, need);
	memory = block->data + block->used;
	block->used += need;
	arena->used_bytes += size;
	UNPOISON(memory, size);
	return memory;
}

void *arena_zalloc(struct arena *arena, size_t size)
{
	return memset(arena_alloc(arena, size), 0, size);
}

struct str arena_copy(struct arena *arena, struct str s)
{
	char *copy = arena_alloc(arena, s.length + 1);

	if (s.length)
		memcpy(copy, s.data, s.length);
	copy[s.length] = '\0';
	return (struct str){.data = copy, .length = s.length};
}

struct str arena_join(struct arena *arena, const struct str *texts, size_t count)
{
	size_t length = 0;
	char *text, *end;

	for (size_t i = 0; i < count; i++)
		length += texts[i].length;
	text = end = arena_alloc(arena, length + 1);
	for (size_t i = 0; i < count; i++) {
		if (texts[i].length)
			memcpy(end, texts[i].data, texts[i].length);
		end += texts[i].length;
	}
	*end = '\0';
	return (struct str){.data = text, .length = length};
}

struct str arena_decimal(struct arena *arena, int64_t number)
{
	char digits[DECIMAL_BYTES_MAX];

	return arena_copy(arena, (struct str){digits, decimal_format(number, digits)});
}

struct str arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	va_list again;
	int length;
	char *text;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	require(length >= 0);
	text = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return (struct str){.data = text, .length = (size_t)length};
}

struct str arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	struct str text;

	va_start(args, format);
	text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

void arena_adopt(struct arena *to, struct arena *from)
{
	struct arena_block **end = &to->blocks;

	/* Insert after the front block, from which objects are cut off. */
	if (*end)
		end = &(*end)->next;
	if (from->blocks) {
		struct arena_block *last = from->blocks;

		while (last->next)
			last = last->next;
		last->next = *end;
		*end = from->blocks;
	}
	to->used_bytes += from->used_bytes;
	*from = (struct arena){0};
}

void arena_drop_cache(void)
{
	while (cache.first) {
		struct arena_block *block = cache.first;

		cache.first = block->next;
		free(block);
	}
	cache.count = 0;
}
