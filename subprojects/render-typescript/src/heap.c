#include "heap.h"

#include <malloc.h>
#include <stdlib.h>

/* Header before each block of the engine. */
struct heap_block {
	struct heap_block *previous, *next;
};

_Static_assert(sizeof(struct heap_block) % _Alignof(max_align_t) == 0, "blocks are aligned");

static struct heap_block *block_of(void *memory)
{
	return (struct heap_block *)memory - 1;
}

static void link_block(struct heap *heap, struct heap_block *block)
{
	block->previous = NULL;
	block->next = heap->blocks;
	if (block->next)
		block->next->previous = block;
	heap->blocks = block;
}

static void unlink_block(struct heap *heap, struct heap_block *block)
{
	if (block->previous)
		block->previous->next = block->next;
	else
		heap->blocks = block->next;
	if (block->next)
		block->next->previous = block->previous;
}

static size_t usable_size(const void *memory)
{
	return memory ? malloc_usable_size(block_of((void *)memory)) - sizeof(struct heap_block)
		      : 0;
}

/* Counts a new block; returns its content, or NULL if malloc() has failed. */
static void *add(struct heap *heap, struct heap_block *block)
{
	if (!block)
		return NULL;
	link_block(heap, block);
	heap->used += usable_size(block + 1);
	if (heap->used > heap->most)
		heap->most = heap->used;
	return block + 1;
}

/* Bytes beyond the limit for small blocks: for the error that reports it, with its calls. */
enum { RESERVE = 128 << 10, SMALL = 16 << 10 };

/* Whether there is room. malloc() may give some more than requested, so a little more than the
 * limit can be in use. */
static bool has_room(struct heap *heap, size_t size)
{
	size_t limit = heap->limit + (heap->was_full && size <= SMALL ? RESERVE : 0);
	bool has = heap->used < limit && size <= limit - heap->used;

	heap->was_full = heap->was_full || !has;
	return has;
}

static void *take(void *opaque, size_t size)
{
	struct heap *heap = opaque;

	return has_room(heap, size) ? add(heap, malloc(sizeof(struct heap_block) + size)) : NULL;
}

static void *take_zeros(void *opaque, size_t number, size_t size)
{
	struct heap *heap = opaque;
	size_t all;

	if (__builtin_mul_overflow(number, size, &all) || !has_room(heap, all))
		return NULL;
	return add(heap, calloc(1, sizeof(struct heap_block) + all));
}

static void give_back(void *opaque, void *memory)
{
	struct heap *heap = opaque;

	if (!memory)
		return;
	heap->used -= usable_size(memory);
	unlink_block(heap, block_of(memory));
	free(block_of(memory));
}

static void *change(void *opaque, void *memory, size_t size)
{
	struct heap *heap = opaque;
	size_t before = usable_size(memory);
	struct heap_block *changed;

	if (!memory)
		return take(opaque, size);
	if (size == 0) {
		give_back(heap, memory);
		return NULL;
	}
	if (size > before && !has_room(heap, size - before))
		return NULL;
	unlink_block(heap, block_of(memory));
	changed = realloc(block_of(memory), sizeof(struct heap_block) + size);
	if (!changed) {
		link_block(heap, block_of(memory));
		return NULL;
	}
	heap->used -= before;
	return add(heap, changed);
}

void heap_finish(struct heap *heap)
{
	while (heap->blocks) {
		struct heap_block *block = heap->blocks;

		heap->blocks = block->next;
		free(block);
	}
	heap->used = 0;
}

const JSMallocFunctions heap_functions = {
    .js_calloc = take_zeros,
    .js_malloc = take,
    .js_free = give_back,
    .js_realloc = change,
    .js_malloc_usable_size = usable_size,
};
