#include "cpu_limit.h"

#include <time.h>

enum { FILE_US = 100000, FRAME_US = 150 };

static uint64_t cpu_us(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

struct cpu_limit pi_cpu_limit_for_frames(uint32_t frame_count)
{
	return (struct cpu_limit){.max_us = FILE_US + (uint64_t)frame_count * FRAME_US};
}

void pi_cpu_limit_enter(struct cpu_limit *limit)
{
	limit->entered_us = cpu_us();
}

bool pi_cpu_limit_leave(struct cpu_limit *limit)
{
	limit->spent_us += cpu_us() - limit->entered_us;
	return limit->spent_us <= limit->max_us;
}
