#include "background_common.h"
#include "base/priority.h"
#include "base/require.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct background {
	_Atomic int32_t pids[BACKGROUND_PROCESSES];
	_Atomic int32_t lowered[BACKGROUND_PROCESSES];
};

const struct region background_region = {
    .name = "background", .version = 1, .slot_size = sizeof(struct background)};

void background_note(struct background *background, unsigned connection, int pid)
{
	require(connection < BACKGROUND_PROCESSES);
	if (background)
		atomic_store_explicit(&background->pids[connection], pid, memory_order_relaxed);
}

/* Returns 0 if the process is gone. */
static pid_t parent_of(pid_t pid)
{
	enum { TEXT_BYTES = 512 };
	char text[TEXT_BYTES];
	const char *behind_name;
	ssize_t length;
	int fd;

	snprintf(text, sizeof(text), "/proc/%ld/stat", (long)pid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = 0;
	/* "1234 (postgres) S 1200 ...": the name may have any characters. */
	behind_name = strrchr(text, ')');
	return behind_name && strlen(behind_name) > strlen(") S ")
		   ? (pid_t)strtol(behind_name + strlen(") S "), NULL, 10)
		   : 0;
}

/* Do not trust the process ID: workers can write any, and this process may be root. */
static bool is_of(pid_t pid, pid_t postmaster)
{
	return pid > 1 && parent_of(pid) == postmaster;
}

void background_lower(struct background *background, pid_t postmaster)
{
	for (unsigned i = 0; i < BACKGROUND_PROCESSES; i++) {
		int32_t pid = atomic_load_explicit(&background->pids[i], memory_order_relaxed);

		if (pid == atomic_load_explicit(&background->lowered[i], memory_order_relaxed))
			continue;
		if (postmaster > 1 && is_of(pid, postmaster) &&
		    !priority_set(pid, PRIORITY_BACKGROUND))
			continue;
		atomic_store_explicit(&background->lowered[i], pid, memory_order_relaxed);
	}
}
