#include "heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);
void __libc_free(void *data);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *data, size_t size);
void free(void *data);

static size_t in_use;
static size_t start_bytes;
static size_t peak;
static unsigned long allocations;
static unsigned long failing;

void heap_start(unsigned long fail_at)
{
	start_bytes = in_use;
	peak = in_use;
	allocations = 0;
	failing = fail_at;
}

size_t heap_in_use_bytes(void)
{
	return in_use;
}

size_t heap_peak_bytes(void)
{
	return peak - start_bytes;
}

unsigned long heap_allocations(void)
{
	return allocations;
}

static bool may_allocate(void)
{
	if (++allocations != failing)
		return true;
	errno = ENOMEM;
	return false;
}

static void *count(void *data)
{
	in_use += data ? malloc_usable_size(data) : 0;
	peak = in_use > peak ? in_use : peak;
	return data;
}

void *malloc(size_t size)
{
	return may_allocate() ? count(__libc_malloc(size)) : NULL;
}

void *calloc(size_t number, size_t size)
{
	return may_allocate() ? count(__libc_calloc(number, size)) : NULL;
}

void *realloc(void *data, size_t size)
{
	size_t before = data ? malloc_usable_size(data) : 0;
	void *after;

	if (!may_allocate())
		return NULL;
	after = __libc_realloc(data, size);
	if (after || size == 0)
		in_use -= before;
	return count(after);
}

void free(void *data)
{
	in_use -= data ? malloc_usable_size(data) : 0;
	__libc_free(data);
}
