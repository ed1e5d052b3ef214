/* Counts the heap, and fails an allocation on purpose. Linked in, heap.c takes the place of
 * malloc for all libraries of the process (glibc only). */
#pragma once

#include <stddef.h>

/* Starts to count anew: the peak from what is in use now. fail_at: the number of the allocation
 * to fail, from 1; all others succeed. 0 for none. */
void heap_start(unsigned long fail_at);

size_t heap_in_use_bytes(void);
size_t heap_peak_bytes(void);	      /* since the start, above what was in use then */
unsigned long heap_allocations(void); /* since the start */
