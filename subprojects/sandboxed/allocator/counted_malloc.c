/* The allocator of a program with budgets (sandboxed/budget.h): that of the C library, with the
 * budget of each block noted before it. It is linked into the program itself, so that libraries
 * call it, too. No sanitizer fits it. */
#include "sandboxed/budget.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Lies before each block. */
struct note {
	struct budget *budget; /* NULL: none */
	void *start;	       /* what the C library gave */
	size_t whole;	       /* bytes from start on */
} __attribute__((aligned(16)));

enum { USUAL_ALIGNMENT = 16, PAGE_BYTES = 4096 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static struct note *note_of(void *block)
{
	return (struct note *)block - 1;
}

static size_t size_of(void *block)
{
	const struct note *note = note_of(block);

	return note->whole - (size_t)((char *)block - (char *)note->start);
}

static void *refuse(void)
{
	errno = ENOMEM;
	return NULL;
}

/* Returns how many bytes a block takes in all; 0: too many. */
static size_t whole_of(size_t size, size_t alignment)
{
	size_t more = sizeof(struct note) + (alignment > USUAL_ALIGNMENT ? alignment : 0);

	return size > PTRDIFF_MAX || more > PTRDIFF_MAX - size ? 0 : size + more;
}

static void *allocate(size_t size, size_t alignment, bool is_zeroed)
{
	struct budget *budget = budget_entered();
	size_t whole = whole_of(size, alignment);
	uintptr_t at;
	void *start;

	if (!whole || !budget_take(budget, whole))
		return refuse();
	start = is_zeroed ? __libc_calloc(1, whole) : __libc_malloc(whole);
	if (!start) {
		budget_note_failure(budget);
		budget_give(budget, whole);
		return refuse();
	}
	at = (uintptr_t)start + sizeof(struct note);
	at = (at + alignment - 1) & ~(uintptr_t)(alignment - 1);
	*note_of((void *)at) = (struct note){budget, start, whole};
	return (void *)at;
}

void *malloc(size_t size)
{
	return allocate(size, USUAL_ALIGNMENT, false);
}

void *calloc(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return refuse();
	return allocate(bytes, USUAL_ALIGNMENT, true);
}

void free(void *block)
{
	struct note note;

	if (!block)
		return;
	note = *note_of(block);
	__libc_free(note.start);
	budget_give(note.budget, note.whole);
}

/* Moves a block whose beginning the C library does not know. */
static void *move(void *block, size_t size)
{
	size_t old = size_of(block);
	void *moved = malloc(size);

	if (!moved)
		return NULL;
	memcpy(moved, block, old < size ? old : size);
	free(block);
	return moved;
}

/* A block stays with its budget; one without a budget gets that of the thread. */
static void *resize(struct note note, size_t whole)
{
	struct budget *budget = note.budget ? note.budget : budget_entered();
	size_t counted = note.budget ? note.whole : 0;
	void *start;

	if (whole > counted && !budget_take(budget, whole - counted))
		return refuse();
	start = __libc_realloc(note.start, whole);
	if (!start) {
		budget_note_failure(budget);
		if (whole > counted)
			budget_give(budget, whole - counted);
		return refuse();
	}
	*(struct note *)start = (struct note){budget, start, whole};
	if (whole < counted)
		budget_give(budget, counted - whole);
	return (struct note *)start + 1;
}

void *realloc(void *block, size_t size)
{
	size_t whole = whole_of(size, USUAL_ALIGNMENT);

	if (!block)
		return malloc(size);
	if (size == 0) {
		free(block);
		return NULL;
	}
	if (!whole)
		return refuse();
	return note_of(block)->start == note_of(block) ? resize(*note_of(block), whole)
						       : move(block, size);
}

size_t malloc_usable_size(void *block)
{
	return block ? size_of(block) : 0;
}

void *memalign(size_t alignment, size_t size)
{
	if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > PTRDIFF_MAX / 2) {
		errno = EINVAL;
		return NULL;
	}
	return allocate(size, alignment < USUAL_ALIGNMENT ? USUAL_ALIGNMENT : alignment, false);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
	int before = errno, error;
	void *block;

	if (alignment % sizeof(void *) != 0)
		return EINVAL;
	block = memalign(alignment, size);
	error = block ? 0 : errno;
	errno = before;
	if (block)
		*ret_block = block;
	return error;
}

void *valloc(size_t size)
{
	return memalign(PAGE_BYTES, size);
}

void *pvalloc(size_t size)
{
	return memalign(PAGE_BYTES, (size + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1));
}
