#include "base/priority.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 40, NUMBER_BYTES = 12 };

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

bool priority_set(pid_t pid, int nice)
{
	static const char name[] = "/autogroup";
	char path[PATH_BYTES] = "/proc/";
	char number[NUMBER_BYTES];
	ssize_t written;
	int fd;

	if (getpriority(PRIO_PROCESS, (id_t)pid) < nice)
		setpriority(PRIO_PROCESS, (id_t)pid, nice);
	memcpy(write_number(path + strlen(path), (unsigned)pid), name, sizeof(name));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return true; /* no such thing here, or the process is gone */
	written = write(fd, number, (size_t)(write_number(number, (unsigned)nice) - number));
	close(fd);
	return written > 0;
}
