#include "main/process_stats.h"
#include "base/clock.h"
#include "main/sampler.h"
#include "metric/errors.h"
#include "metric/metric.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOK_MS = 1000,
	/* Bytes read of /proc/PID/stat and /proc/PID/limits. */
	TEXT_BYTES = 1024,
	LIMITS_BYTES = 4096,
};

/* Fields of /proc/PID/stat, by their numbers in proc(5). */
enum { USER_TICKS = 14, SYSTEM_TICKS, START_TICKS = 22, VIRTUAL_BYTES, RESIDENT_PAGES, FACTS };

struct facts {
	unsigned long long numbers[FACTS]; /* fields before USER_TICKS are not read */
};

/* Reads a file as text, NUL-terminated; empty on failure. */
static void read_text(int folder, const char *name, char *ret_text, size_t size)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, ret_text, size - 1) : 0;

	ret_text[length > 0 ? length : 0] = 0;
	if (fd >= 0)
		close(fd);
}

static bool read_facts(int folder, struct facts *ret)
{
	enum { STATE = 3 };
	char text[TEXT_BYTES];
	const char *rest;

	read_text(folder, "stat", text, sizeof(text));
	/* The state follows the program's name, which may have any characters. */
	rest = strrchr(text, ')');
	if (!rest || strlen(rest) < strlen(") S"))
		return false;
	rest += strlen(") S");
	for (unsigned i = STATE + 1; i < FACTS; i++) {
		char *end;

		ret->numbers[i] = strtoull(rest, &end, 10);
		if (end == rest)
			return false;
		rest = end;
	}
	return true;
}

/* Counts descriptors if the kernel does not report their number (before Linux 6.2). */
static int64_t count_entries(int folder)
{
	int fd = openat(folder, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	int64_t count = 0;

	if (!entries) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (readdir(entries))
		count++;
	closedir(entries);
	return count - 2; /* . and .. */
}

static int64_t open_descriptors(int folder)
{
	struct stat facts;

	if (fstatat(folder, "fd", &facts, 0) == 0 && facts.st_size > 0)
		return facts.st_size;
	return count_entries(folder);
}

static int64_t most_descriptors(int folder)
{
	static const char name[] = "Max open files";
	char text[LIMITS_BYTES];
	const char *line;

	read_text(folder, "limits", text, sizeof(text));
	line = strstr(text, name);
	return line ? strtoll(line + strlen(name), NULL, 10) : 0;
}

static int64_t clock_us(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t ticks_us(unsigned long long ticks)
{
	return (int64_t)(ticks * 1000000 / (unsigned long long)sysconf(_SC_CLK_TCK));
}

/* Whether the previous program, which has handed over its memory, counted here. */
static bool was_counted(const struct process_stats *stats, unsigned index)
{
	return stats->seen[index].pid == 0 &&
	       atomic_load_explicit(&metric_cells[METRIC_PROCESS_CPU][index],
				    memory_order_relaxed) > 0;
}

/* A process that has replaced another one begins at 0; the time of the old one stays counted.
 */
static void count_cpu(struct process_stats *stats, unsigned index, pid_t pid, uint64_t cpu_us)
{
	if (stats->seen[index].pid != pid)
		stats->seen[index].cpu_us = was_counted(stats, index) ? cpu_us : 0;
	if (cpu_us > stats->seen[index].cpu_us)
		metric_add(METRIC_PROCESS_CPU, index,
			   (int64_t)(cpu_us - stats->seen[index].cpu_us));
	stats->seen[index].pid = pid;
	stats->seen[index].cpu_us = cpu_us;
}

static void forget(unsigned index)
{
	static const enum metric gauges[] = {METRIC_PROCESS_RESIDENT, METRIC_PROCESS_VIRTUAL,
					     METRIC_PROCESS_OPEN_FDS, METRIC_PROCESS_MAX_FDS,
					     METRIC_PROCESS_START};

	for (unsigned i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		metric_set(gauges[i], index, 0);
}

static void look_at(struct process_stats *stats, unsigned index, pid_t pid)
{
	struct facts facts;
	char path[32];
	int folder;

	snprintf(path, sizeof(path), "/proc/%ld", (long)pid);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || !read_facts(folder, &facts)) {
		if (folder >= 0)
			close(folder);
		forget(index);
		return;
	}
	/* Only once: the two clocks never agree to the microsecond, and this value must not change.
	 */
	if (stats->seen[index].pid != pid)
		metric_set(METRIC_PROCESS_START, index,
			   clock_us(CLOCK_REALTIME) - clock_us(CLOCK_BOOTTIME) +
			       ticks_us(facts.numbers[START_TICKS]));
	count_cpu(stats, index, pid,
		  (uint64_t)ticks_us(facts.numbers[USER_TICKS] + facts.numbers[SYSTEM_TICKS]));
	metric_set(METRIC_PROCESS_RESIDENT, index,
		   (int64_t)facts.numbers[RESIDENT_PAGES] * sysconf(_SC_PAGESIZE));
	metric_set(METRIC_PROCESS_VIRTUAL, index, (int64_t)facts.numbers[VIRTUAL_BYTES]);
	metric_set(METRIC_PROCESS_OPEN_FDS, index, open_descriptors(folder));
	metric_set(METRIC_PROCESS_MAX_FDS, index, most_descriptors(folder));
	close(folder);
}

void process_stats_start(struct process_stats *stats, struct region_map *shared)
{
	*stats = (struct process_stats){.logged = log_count()};
	metric_attach(shared, METRIC_SUPERVISOR);
	errors_attach(shared);
	metric_set(METRIC_BUILD, 0, 1);
}

void process_stats_look(struct process_stats *stats, const struct children *children,
			uint64_t now_ms)
{
	if (now_ms < stats->next_ms)
		return;
	stats->next_ms = now_ms + LOOK_MS;
	look_at(stats, metric_process(METRIC_SUPERVISOR), getpid());
	for (unsigned i = 0; i < children->count; i++) {
		const struct child *child = &children->all[i];
		unsigned index = metric_process((int)child->index);

		if (child->kind->metric != METRIC_CHILD_WORKER || index >= PROCESS_STATS_MAX)
			continue;
		if (child->pid > 0)
			look_at(stats, index, child->pid);
		else
			forget(index);
	}
	sampler_count_log(&stats->logged);
	metric_beat(now_ms);
}
