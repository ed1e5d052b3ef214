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
    "  time-delay MS       the same for an animation whose frames last so long\n"
    "  timed SECONDS [COUNT]      waits until each, or so many, have it; the times since then\n"
    "                             in milliseconds\n"
    "  displayed SECONDS [COUNT]  the same until they display it, where its delay was told\n"
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

/* Returns when the panel received, or displayed, the awaited picture; 0: not yet. */
typedef uint64_t moment(const struct receipt *receipt);

static uint64_t when_got(const struct receipt *receipt)
{
	return receipt->got_ns;
}

static uint64_t when_displayed(const struct receipt *receipt)
{
	return receipt->displayed_ns;
}

static void answer_timed(moment *when)
{
	uint64_t *times = memory_alloc(urls.count * sizeof(times[0]));
	uint64_t since = shared->since_ns;
	unsigned count = 0;

	for (unsigned i = 0; i < urls.count; i++) {
		uint64_t at = when(&shared->receipts[i]);

		if (at)
			times[count++] = at > since ? at - since : 0;
	}
	qsort(times, count, sizeof(times[0]), compare);
	printf("{\"count\":%u,\"median_ms\":%.3f,\"p99_ms\":%.3f,\"last_ms\":%.3f}\n", count,
	       at_ms(times, count, 0.5), at_ms(times, count, 0.99), at_ms(times, count, 1));
	free(times);
}

static void answer_time(unsigned length, unsigned delay_ms)
{
	shared->since_ns = 0;
	for (unsigned i = 0; i < urls.count; i++)
		shared->receipts[i].got_ns = shared->receipts[i].displayed_ns = 0;
	shared->length = length;
	shared->delay_ms = delay_ms;
	shared->since_ns = clock_monotonic_us() * 1000;
	printf("{}\n");
}

/* ---- commands ---- */

static bool are_connected(unsigned count)
{
	return shared->connected >= count;
}

static unsigned count_those(moment *when)
{
	unsigned count = 0;

	for (unsigned i = 0; i < urls.count; i++)
		count += when(&shared->receipts[i]) != 0;
	return count;
}

static bool have_got_it(unsigned count)
{
	return count_those(when_got) >= count;
}

static bool display_it(unsigned count)
{
	return count_those(when_displayed) >= count;
}

/* words: SECONDS [COUNT], the number of panels, by default all. Checks seldom, so that the panels
 * get the processor time. */
static void wait_for(bool (*condition)(unsigned count), char *words)
{
	char *space = strchr(words, ' ');
	unsigned count = space ? read_number(space + 1) : urls.count;
	uint64_t end_ms;

	if (space)
		*space = '\0';
	end_ms = clock_monotonic_ms() + read_number(words) * 1000ULL;
	while (!condition(count) && clock_monotonic_ms() < end_ms)
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
		wait_for(are_connected, space);
		answer_connected();
	} else if (strcmp(line, "time") == 0) {
		answer_time(read_number(space), 0);
	} else if (strcmp(line, "time-delay") == 0) {
		answer_time(0, read_number(space));
	} else if (strcmp(line, "timed") == 0) {
		wait_for(have_got_it, space);
		answer_timed(when_got);
	} else if (strcmp(line, "displayed") == 0) {
		wait_for(display_it, space);
		answer_timed(when_displayed);
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
