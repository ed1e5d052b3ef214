/* Bounds the time of decoding where nothing countable does.
 *
 * A WebP frame of 3 KB may ask libwebp to build a thousand Huffman tables, and sixty such frames
 * fit into a file: a second, which neither pixels nor bytes foretell. So the thread's own CPU
 * time is looked at around each frame; other load on the machine does not count. Frames of honest
 * files take 20 to 60 us. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpu_limit {
	uint64_t max_us;
	uint64_t spent_us;
	uint64_t entered_us; /* the calling thread's CPU time */
};

/* The limit for a file of so many frames, to be decoded once or twice. */
struct cpu_limit pi_cpu_limit_for_frames(uint32_t frame_count);

void pi_cpu_limit_enter(struct cpu_limit *limit);

/* Counts the time since entering. Returns whether there is some left. */
bool pi_cpu_limit_leave(struct cpu_limit *limit);
