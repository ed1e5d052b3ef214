#include "sandboxed/reads.h"

#include <stdint.h>

static __thread size_t left = SIZE_MAX;

void reads_limit(size_t bytes)
{
	left = bytes;
}

void reads_unlimit(void)
{
	left = SIZE_MAX;
}

size_t reads_left(void)
{
	return left;
}

void reads_note(size_t bytes)
{
	if (left != SIZE_MAX)
		left -= bytes;
}
