/* Bounds the time of decoding where nothing countable does.
 *
 * A WebP frame of 3 KB may ask libwebp to build a thousand Huffman tables, and sixty such frames
 * fit into a file: a second, which neither pixels nor bytes foretell. So the thread's own CPU
 * time is looked at between frames; other load on the machine does not count. Honest files stay
 * below half of the limit, with the largest number of frames. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpu_limit {
	uint64_t end_us; /* of the calling thread's CPU time */
};

/* Starts to count now, for the calling thread. */
struct cpu_limit pi_cpu_limit_start(void);

bool pi_cpu_limit_passed(const struct cpu_limit *limit);
