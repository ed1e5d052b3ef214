#include "base/priority.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = 40, NUMBER_BYTES = 12 };

enum { SHORT_TURN_NS = 200 * 1000 };

/* struct sched_attr of sched_setattr(2), for which the C library of Debian 12 has no header. */
struct schedule {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t turn_ns; /* sched_runtime; 0: the system's own */
	uint64_t deadline_ns;
	uint64_t period_ns;
};

/* snprintf() is not async-signal-safe. Returns the end, where a NUL stands. */
static char *write_number(char *to, unsigned number)
{
	char digits[NUMBER_BYTES];
	unsigned count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	while (count > 0)
		*to++ = digits[--count];
	*to = 0;
	return to;
}

bool priority_set_session(pid_t pid, int nice)
{
	static const char name[] = "/autogroup";
	char path[PATH_BYTES] = "/proc/";
	char number[NUMBER_BYTES];
	ssize_t written;
	int fd;

	memcpy(write_number(path + strlen(path), (unsigned)pid), name, sizeof(name));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return true; /* not supported, or the process is gone */
	written = write(fd, number, (size_t)(write_number(number, (unsigned)nice) - number));
	close(fd);
	return written > 0;
}

void priority_set_process(pid_t pid, int nice)
{
	if (getpriority(PRIO_PROCESS, (id_t)pid) < nice)
		setpriority(PRIO_PROCESS, (id_t)pid, nice);
}

bool priority_set(pid_t pid, int nice)
{
	priority_set_process(pid, nice);
	return priority_set_session(pid, nice);
}

static void take_turns(uint64_t turn_ns)
{
	struct schedule schedule;

	if (syscall(SYS_sched_getattr, 0, &schedule, sizeof(schedule), 0) != 0)
		return;
	/* Do not change a real-time policy, which the administrator chose. */
	if (schedule.policy != SCHED_OTHER && schedule.policy != SCHED_BATCH)
		return;
	schedule.turn_ns = turn_ns;
	(void)syscall(SYS_sched_setattr, 0, &schedule, 0);
}

void priority_take_short_turns(void)
{
	take_turns(SHORT_TURN_NS);
}

void priority_take_ordinary_turns(void)
{
	take_turns(0);
}
