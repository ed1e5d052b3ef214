#include "panels.h"
#include "base/clock.h"
#include "base/memory.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "panels FILE RATE    connects a WebSocket panel for each ws:// URL of the file, so many a\n"
    "                    second\n"
    "\n"
    "Reads commands, one a line, and answers each with one line of JSON:\n"
    "  connected SECONDS   waits until all are connected\n"
    "  time LENGTH         from now on notes when each panel gets a picture of so many bytes\n"
    "  timed SECONDS       waits until each has it; the times since then in milliseconds\n"
    "Ends with its input.\n";

static struct urls urls;
static struct shared *shared;

static unsigned read_number(const char *text)
{
	unsigned long long value;

	if (!str_to_uint64(str_from(text), 1000000, &value)) {
		fprintf(stderr, "panels: not a number: %s\n", text);
		exit(2);
	}
	return (unsigned)value;
}

static void allow_descriptors(void)
{
	struct rlimit limit;
	rlim_t needed = urls.count + 32;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < needed) {
		fprintf(stderr, "panels: a process may have only %llu descriptors\n",
			(unsigned long long)limit.rlim_cur);
		exit(2);
	}
}

/* ---- answers ---- */

static void answer_connected(void)
{
	printf("{\"connected\":%u,\"refused\":%u,\"dropped\":%u,\"faults\":%u}\n",
	       shared->connected, shared->refused, shared->dropped, shared->faults);
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static double at_ms(const uint64_t *times, unsigned count, double share)
{
	return count ? (double)times[(unsigned)(share * (count - 1))] / 1e6 : 0;
}

static void answer_timed(void)
{
	uint64_t *times = memory_alloc(urls.count * sizeof(times[0]));
	uint64_t since = shared->since_ns;
	unsigned count = 0;

	for (unsigned i = 0; i < urls.count; i++) {
		uint64_t at = shared->receipts[i].at_ns;

		if (at)
			times[count++] = at > since ? at - since : 0;
	}
	shared->since_ns = 0;
	qsort(times, count, sizeof(times[0]), compare);
	printf("{\"count\":%u,\"median_ms\":%.3f,\"p99_ms\":%.3f,\"last_ms\":%.3f}\n", count,
	       at_ms(times, count, 0.5), at_ms(times, count, 0.99), at_ms(times, count, 1));
	free(times);
}

static void answer_time(const char *length)
{
	for (unsigned i = 0; i < urls.count; i++)
		shared->receipts[i].at_ns = 0;
	shared->length = read_number(length);
	shared->since_ns = clock_monotonic_us() * 1000;
	printf("{}\n");
}

/* ---- commands ---- */

static bool all_are_connected(void)
{
	return shared->connected == urls.count;
}

static bool all_have_it(void)
{
	for (unsigned i = 0; i < urls.count; i++) {
		if (!shared->receipts[i].at_ns)
			return false;
	}
	return true;
}

/* Seldom, so that the panels have the machine for themselves. */
static void wait_for(bool (*condition)(void), unsigned seconds)
{
	uint64_t end_ms = clock_monotonic_ms() + seconds * 1000ULL;

	while (!condition() && clock_monotonic_ms() < end_ms)
		poll(NULL, 0, 20);
}

static void run_command(char *line)
{
	char *space;

	line[strcspn(line, "\n")] = '\0';
	space = strchr(line, ' ');
	if (space)
		*space++ = '\0';
	else
		space = line + strlen(line);
	if (strcmp(line, "connected") == 0) {
		wait_for(all_are_connected, read_number(space));
		answer_connected();
	} else if (strcmp(line, "time") == 0) {
		answer_time(space);
	} else if (strcmp(line, "timed") == 0) {
		wait_for(all_have_it, read_number(space));
		answer_timed();
	} else {
		fprintf(stderr, "panels: no such command: %s\n", line);
	}
	fflush(stdout);
}

int main(int count, char **words)
{
	char line[100];
	size_t size;

	if (count != 3) {
		fputs(usage, stderr);
		return 2;
	}
	urls_read(&urls, words[1]);
	allow_descriptors();
	size = sizeof(*shared) + urls.count * sizeof(shared->receipts[0]);
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("panels: mmap");
		return 1;
	}
	if (fork() == 0)
		fleet_run(read_number(words[2]), &urls, shared);
	while (fgets(line, sizeof(line), stdin))
		run_command(line);
	shared->ends = true;
	wait(NULL);
	return 0;
}
