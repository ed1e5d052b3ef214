/* Time that passes without waiting: the monotonic clock of this program jumps. For one source
 * file of a program. */
#pragma once

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic long leap_s;

/* Replaces that of libc, also for libuv. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int error = (int)syscall(SYS_clock_gettime, clock, ret);

	if (error == 0 && clock != CLOCK_REALTIME)
		ret->tv_sec += leap_s;
	return error;
}
