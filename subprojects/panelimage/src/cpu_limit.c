#include "cpu_limit.h"

#include <time.h>

enum { CPU_LIMIT_US = 500000 };

static uint64_t cpu_us(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

struct cpu_limit pi_cpu_limit_start(void)
{
	return (struct cpu_limit){.end_us = cpu_us() + CPU_LIMIT_US};
}

bool pi_cpu_limit_passed(const struct cpu_limit *limit)
{
	return cpu_us() > limit->end_us;
}
