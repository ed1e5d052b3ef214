#include "heap.h"

#include <malloc.h>
#include <stdlib.h>

/* Counts what came instead of what was there before. */
static void *count(struct heap *heap, void *memory, size_t before)
{
	heap->used -= before;
	if (memory)
		heap->used += malloc_usable_size(memory);
	if (heap->used > heap->most)
		heap->most = heap->used;
	return memory;
}

/* Whether there is room. malloc may give some more than was asked for, so a little more than the
 * limit can be in use. */
static bool has_room(struct heap *heap, size_t size)
{
	bool has = heap->used < heap->limit && size <= heap->limit - heap->used;

	heap->was_full = heap->was_full || !has;
	return has;
}

static void *take(void *opaque, size_t size)
{
	struct heap *heap = opaque;

	return has_room(heap, size) ? count(heap, malloc(size), 0) : NULL;
}

static void *take_zeros(void *opaque, size_t number, size_t size)
{
	struct heap *heap = opaque;
	size_t all;

	if (__builtin_mul_overflow(number, size, &all) || !has_room(heap, all))
		return NULL;
	return count(heap, calloc(number, size), 0);
}

static void give_back(void *opaque, void *memory)
{
	struct heap *heap = opaque;

	heap->used -= malloc_usable_size(memory);
	free(memory);
}

static void *change(void *opaque, void *memory, size_t size)
{
	struct heap *heap = opaque;
	size_t before = malloc_usable_size(memory);
	void *changed;

	if (size == 0) {
		give_back(heap, memory);
		return NULL;
	}
	if (size > before && !has_room(heap, size - before))
		return NULL;
	changed = realloc(memory, size);
	return changed ? count(heap, changed, before) : NULL;
}

static size_t usable_size(const void *memory)
{
	return malloc_usable_size((void *)memory);
}

const JSMallocFunctions heap_functions = {
    .js_calloc = take_zeros,
    .js_malloc = take,
    .js_free = give_back,
    .js_realloc = change,
    .js_malloc_usable_size = usable_size,
};
