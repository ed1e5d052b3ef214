#include "panels.h"
#include "base/clock.h"
#include "base/memory.h"

#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "panels [OPTION...] FILE    connects a WebSocket panel for each ws:// URL of the file\n"
    "\n"
    "  --panels N          only the first N\n"
    "  --processes N       share them out: each may have as many descriptors as one allows [1]\n"
    "  --rate N            connections opened in a second [2000]\n"
    "  --ping-s N          each panel pings; 0: never [10]\n"
    "  --reconnect-s N     after the server has closed; 0: never [0]\n"
    "  --silent            acknowledges nothing, as tronberry does\n"
    "\n"
    "Reads commands, one a line, and answers each with one line of JSON:\n"
    "  connected SECONDS   waits until all are connected\n"
    "  count               says what was counted\n"
    "  time [LENGTH]       from now on notes when each panel gets its next picture (of LENGTH\n"
    "                      bytes); at_us is the moment, of CLOCK_MONOTONIC\n"
    "  timed SECONDS       waits until each has it; the times since then in milliseconds\n"
    "Ends with its input.\n";

static struct settings settings = {
    .processes = 1, .rate = 2000, .ping_s = 10, .acknowledges = true};
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

static const char *read_options(int count, char **words, unsigned *ret_limit)
{
	static const struct option options[] = {
	    {"panels", required_argument, NULL, 'n'}, {"processes", required_argument, NULL, 'p'},
	    {"rate", required_argument, NULL, 'r'},   {"ping-s", required_argument, NULL, 'i'},
	    {"silent", no_argument, NULL, 's'},	      {"reconnect-s", required_argument, NULL, 'c'},
	    {"help", no_argument, NULL, 'h'},	      {0},
	};
	int option;

	while ((option = getopt_long(count, words, "", options, NULL)) != -1) {
		switch (option) {
		case 'n':
			*ret_limit = read_number(optarg);
			break;
		case 'p':
			settings.processes = read_number(optarg);
			break;
		case 'r':
			settings.rate = read_number(optarg);
			break;
		case 'i':
			settings.ping_s = read_number(optarg);
			break;
		case 'c':
			settings.reconnect_s = read_number(optarg);
			break;
		case 's':
			settings.acknowledges = false;
			break;
		default:
			fputs(help, option == 'h' ? stdout : stderr);
			exit(option == 'h' ? 0 : 2);
		}
	}
	if (optind + 1 != count || settings.rate == 0 || settings.processes == 0 ||
	    settings.processes > PROCESSES_MAX) {
		fputs(help, stderr);
		exit(2);
	}
	return words[optind];
}

static void allow_descriptors(void)
{
	struct rlimit limit;
	rlim_t needed = urls.count / settings.processes + 32;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < needed) {
		fprintf(stderr,
			"panels: a process may have %llu descriptors: take more processes\n",
			(unsigned long long)limit.rlim_cur);
		exit(2);
	}
}

/* ---- answers ---- */

static const char *const count_names[COUNTS] = {
    [COUNT_CONNECTED] = "connected",
    [COUNT_HANDSHAKES] = "handshakes",
    [COUNT_REFUSED] = "refused",
    [COUNT_DROPPED] = "dropped",
    [COUNT_MESSAGES] = "messages",
    [COUNT_PICTURES] = "pictures",
    [COUNT_PICTURE_BYTES] = "picture_bytes",
    [COUNT_PINGS] = "pings",
    [COUNT_PONGS] = "pongs",
    [COUNT_FAULTS] = "faults",
};

static uint64_t sum(enum count count)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < settings.processes; i++)
		total += shared->tallies[i].counts[count];
	return total;
}

static void answer_count(void)
{
	printf("{\"panels\":%u", urls.count);
	for (unsigned i = 0; i < COUNTS; i++)
		printf(",\"%s\":%llu", count_names[i], (unsigned long long)sum(i));
	printf("}\n");
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
	printf("{\"panels\":%u,\"count\":%u,\"first_ms\":%.3f,\"median_ms\":%.3f,"
	       "\"p99_ms\":%.3f,\"last_ms\":%.3f}\n",
	       urls.count, count, at_ms(times, count, 0), at_ms(times, count, 0.5),
	       at_ms(times, count, 0.99), at_ms(times, count, 1));
	free(times);
}

static void answer_time(const char *length)
{
	for (unsigned i = 0; i < urls.count; i++)
		shared->receipts[i].at_ns = 0;
	shared->length = *length ? read_number(length) : 0;
	shared->since_ns = clock_monotonic_us() * 1000;
	printf("{\"at_us\":%llu}\n", (unsigned long long)shared->since_ns / 1000);
}

/* ---- commands ---- */

static bool all_are_connected(void)
{
	return sum(COUNT_CONNECTED) == urls.count;
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
		answer_count();
	} else if (strcmp(line, "count") == 0) {
		answer_count();
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
	unsigned limit = 0;
	const char *path = read_options(count, words, &limit);
	size_t size;
	char line[100];

	urls_read(&urls, path, limit);
	allow_descriptors();
	size = sizeof(*shared) + urls.count * sizeof(shared->receipts[0]);
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("panels: mmap");
		return 1;
	}
	for (unsigned i = 0; i < settings.processes; i++) {
		if (fork() == 0)
			fleet_run(&settings, &urls, shared, i);
	}
	while (fgets(line, sizeof(line), stdin))
		run_command(line);
	shared->ends = true;
	while (wait(NULL) > 0)
		continue;
	return 0;
}
