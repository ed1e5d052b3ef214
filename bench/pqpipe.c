/* pqpipe - what PostgreSQL gives at most for a statement of the server.
 *
 * Bare libpq and none of our layers: so many queries in flight over a few connections in pipeline
 * mode, prepared, binary, one sync per batch. A batch is what is free to be sent when answers came:
 * for each query that was answered, the next one, all of them before one sync. The session's
 * settings are those of the server (src/db/session.c). */
#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <getopt.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static const char usage[] =
    "Usage: pqpipe --database URL --query FILE [OPTION...]\n"
    "\n"
    "Runs a statement with one parameter as often as PostgreSQL answers it.\n"
    "\n"
    "  --database URL   as libpq takes it\n"
    "  --query FILE     a statement, as in sql/query/\n"
    "  --keys SQL       its first column has the values of the parameter, of the same type\n"
    "                   (default \"SELECT id FROM device LIMIT 10000\")\n"
    "  --in-flight N    queries (default 64)\n"
    "  --connections N  they are spread over (default 2)\n"
    "  --seconds N      (default 5)\n"
    "  --json           one line of JSON\n";

static const char settings[] = "SET plan_cache_mode = force_generic_plan; SET jit = off";

enum { CONNECTIONS_MAX = 64 };

struct lane {
	PGconn *pg;
	unsigned free; /* queries that may be sent */
};

static struct bench {
	const char *database;
	const char *query_path;
	const char *keys_sql;
	unsigned in_flight;
	unsigned connections;
	double seconds;
	bool is_json;

	PGresult *keys;
	int next_key;
	struct lane lanes[CONNECTIONS_MAX];
	unsigned long answered;
	unsigned long rows;
	unsigned long batches;
} bench = {
    .keys_sql = "SELECT id FROM device LIMIT 10000",
    .in_flight = 64,
    .connections = 2,
    .seconds = 5,
};

__attribute__((format(printf, 1, 2))) static _Noreturn void give_up(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("pqpipe: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("\n", stderr);
	va_end(arguments);
	exit(1);
}

static char *read_statement(const char *path)
{
	struct buffer text = {0};
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file)
		give_up("%s cannot be read", path);
	while ((size = fread(buffer_reserve(&text, 4096), 1, 4096, file)))
		buffer_commit(&text, size);
	fclose(file);
	buffer_append_char(&text, 0);
	return text.data;
}

static PGresult *check(PGconn *pg, PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		give_up("%s", PQerrorMessage(pg));
	return result;
}

static void open_lane(struct lane *lane, const char *statement)
{
	lane->pg = PQconnectdb(bench.database);
	if (PQstatus(lane->pg) != CONNECTION_OK)
		give_up("%s", PQerrorMessage(lane->pg));
	PQclear(check(lane->pg, PQexec(lane->pg, settings)));
	PQclear(check(lane->pg, PQprepare(lane->pg, "statement", statement, 0, NULL)));
	if (PQsetnonblocking(lane->pg, 1) < 0 || !PQenterPipelineMode(lane->pg))
		give_up("%s", PQerrorMessage(lane->pg));
}

/* In binary, so that they can be sent as they came. */
static void read_keys(void)
{
	PGconn *pg = PQconnectdb(bench.database);

	bench.keys = check(pg, PQexecParams(pg, bench.keys_sql, 0, NULL, NULL, NULL, NULL, 1));
	if (PQntuples(bench.keys) == 0)
		give_up("there are no keys to ask for");
	PQfinish(pg);
}

static void send_batch(struct lane *lane)
{
	static const int is_binary[] = {1};

	if (lane->free == 0)
		return;
	while (lane->free) {
		const char *values[] = {PQgetvalue(bench.keys, bench.next_key, 0)};
		const int lengths[] = {PQgetlength(bench.keys, bench.next_key, 0)};

		if (!PQsendQueryPrepared(lane->pg, "statement", 1, values, lengths, is_binary, 1))
			give_up("%s", PQerrorMessage(lane->pg));
		bench.next_key = (bench.next_key + 1) % PQntuples(bench.keys);
		lane->free--;
	}
	/* It flushes as well. */
	if (!PQpipelineSync(lane->pg))
		give_up("%s", PQerrorMessage(lane->pg));
	bench.batches++;
}

static void take_answers(struct lane *lane)
{
	/* NULL stands between the queries' results. */
	bool was_null = false;

	if (!PQconsumeInput(lane->pg))
		give_up("%s", PQerrorMessage(lane->pg));
	while (!PQisBusy(lane->pg)) {
		PGresult *result = PQgetResult(lane->pg);

		if (!result && was_null)
			return;
		was_null = !result;
		if (!result)
			continue;
		if (PQresultStatus(result) != PGRES_PIPELINE_SYNC) {
			check(lane->pg, result);
			bench.rows += (unsigned long)PQntuples(result);
			bench.answered++;
			lane->free++;
		}
		PQclear(result);
	}
}

static void turn(void)
{
	struct pollfd polls[CONNECTIONS_MAX];

	for (unsigned i = 0; i < bench.connections; i++) {
		struct lane *lane = &bench.lanes[i];
		int left = PQflush(lane->pg);

		if (left < 0)
			give_up("%s", PQerrorMessage(lane->pg));
		polls[i] = (struct pollfd){.fd = PQsocket(lane->pg),
					   .events = (short)(POLLIN | (left ? POLLOUT : 0))};
	}
	if (poll(polls, bench.connections, 1000) < 0 && errno != EINTR)
		give_up("poll: %s", strerror(errno));
	for (unsigned i = 0; i < bench.connections; i++) {
		if (polls[i].revents & ~POLLOUT) {
			take_answers(&bench.lanes[i]);
			send_batch(&bench.lanes[i]);
		}
	}
}

static double cpu_us(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void run(void)
{
	uint64_t start_us = clock_monotonic_us();
	uint64_t end_us = start_us + (uint64_t)(bench.seconds * 1e6);
	double start_cpu_us = cpu_us();
	double elapsed_us, each_us;

	for (unsigned i = 0; i < bench.connections; i++) {
		bench.lanes[i].free =
		    bench.in_flight / bench.connections + (i < bench.in_flight % bench.connections);
		send_batch(&bench.lanes[i]);
	}
	while (clock_monotonic_us() < end_us)
		turn();
	elapsed_us = (double)(clock_monotonic_us() - start_us);
	each_us = (cpu_us() - start_cpu_us) / (double)(bench.answered ? bench.answered : 1);
	printf(bench.is_json ? "{\"queries\": %lu, \"seconds\": %.3f, \"rate\": %.1f, "
			       "\"rows\": %lu, \"batch\": %.1f, \"cpu_us_each\": %.2f}\n"
			     : "%lu queries in %.1f s, %.0f/s, %lu rows, %.1f to a batch, "
			       "%.2f us of CPU each here\n",
	       bench.answered, elapsed_us / 1e6, (double)bench.answered * 1e6 / elapsed_us,
	       bench.rows, (double)bench.answered / (double)bench.batches, each_us);
}

static void take_option(int option)
{
	switch (option) {
	case 'd':
		bench.database = optarg;
		break;
	case 'q':
		bench.query_path = optarg;
		break;
	case 'k':
		bench.keys_sql = optarg;
		break;
	case 'n':
		bench.in_flight = (unsigned)strtoul(optarg, NULL, 10);
		break;
	case 'c':
		bench.connections = (unsigned)strtoul(optarg, NULL, 10);
		break;
	case 's':
		bench.seconds = strtod(optarg, NULL);
		break;
	case 'j':
		bench.is_json = true;
		break;
	default:
		fputs(usage, option == 'h' ? stdout : stderr);
		exit(option == 'h' ? 0 : 2);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"database", required_argument, NULL, 'd'},
						{"query", required_argument, NULL, 'q'},
						{"keys", required_argument, NULL, 'k'},
						{"in-flight", required_argument, NULL, 'n'},
						{"connections", required_argument, NULL, 'c'},
						{"seconds", required_argument, NULL, 's'},
						{"json", no_argument, NULL, 'j'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	char *statement;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
		take_option(option);
	if (!bench.database || !bench.query_path || optind != argc || bench.connections < 1 ||
	    bench.connections > CONNECTIONS_MAX || bench.in_flight < bench.connections)
		take_option(0);
	read_keys();
	statement = read_statement(bench.query_path);
	for (unsigned i = 0; i < bench.connections; i++)
		open_lane(&bench.lanes[i], statement);
	free(statement);
	run();
	for (unsigned i = 0; i < bench.connections; i++)
		PQfinish(bench.lanes[i].pg);
	PQclear(bench.keys);
	return 0;
}
