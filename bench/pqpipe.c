/* pqpipe - measures PostgreSQL's highest rate for a statement of the server.
 *
 * Bare libpq and none of our layers: so many queries in flight over a few connections in pipeline
 * mode, prepared, binary, one sync per batch. A batch has the queries that may be sent after
 * answers have arrived: for each answered query the next one, all of them before one sync. The
 * session's settings are those of the server's connections. */
#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] = "Usage: pqpipe DATABASE QUERY_FILE SECONDS\n"
			    "\n"
			    "Runs a statement, as tools/generate_statements.py prints it, whose "
			    "parameter is a device's ID,\n"
			    "as often as PostgreSQL answers it; one line of JSON.\n";

static const char settings[] = "SET plan_cache_mode = force_generic_plan; SET jit = off";

enum { IN_FLIGHT = 64, CONNECTIONS = 2 };

struct lane {
	PGconn *pg;
	unsigned free; /* queries that may be sent */
};

static struct bench {
	const char *database;
	double seconds;

	PGresult *keys;
	int next_key;
	struct lane lanes[CONNECTIONS];
	unsigned long answered;
} bench;

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

/* Reads the keys in binary, so that they can be sent unchanged. */
static void read_keys(void)
{
	PGconn *pg = PQconnectdb(bench.database);

	bench.keys = check(pg, PQexecParams(pg, "SELECT id FROM device LIMIT 10000", 0, NULL, NULL,
					    NULL, NULL, 1));
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
}

static void take_answers(struct lane *lane)
{
	/* PQgetResult() returns NULL between the queries' results. */
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
			bench.answered++;
			lane->free++;
		}
		PQclear(result);
	}
}

static void turn(void)
{
	struct pollfd polls[CONNECTIONS];

	for (unsigned i = 0; i < CONNECTIONS; i++) {
		struct lane *lane = &bench.lanes[i];
		int left = PQflush(lane->pg);

		if (left < 0)
			give_up("%s", PQerrorMessage(lane->pg));
		polls[i] = (struct pollfd){.fd = PQsocket(lane->pg),
					   .events = (short)(POLLIN | (left ? POLLOUT : 0))};
	}
	if (poll(polls, CONNECTIONS, 1000) < 0 && errno != EINTR)
		give_up("poll: %s", strerror(errno));
	for (unsigned i = 0; i < CONNECTIONS; i++) {
		if (polls[i].revents & ~POLLOUT) {
			take_answers(&bench.lanes[i]);
			send_batch(&bench.lanes[i]);
		}
	}
}

static void run(void)
{
	uint64_t start_us = clock_monotonic_us();
	uint64_t end_us = start_us + (uint64_t)(bench.seconds * 1e6);
	double elapsed_us;

	for (unsigned i = 0; i < CONNECTIONS; i++) {
		bench.lanes[i].free = IN_FLIGHT / CONNECTIONS;
		send_batch(&bench.lanes[i]);
	}
	while (clock_monotonic_us() < end_us)
		turn();
	elapsed_us = (double)(clock_monotonic_us() - start_us);
	printf("{\"queries\": %lu, \"seconds\": %.3f, \"rate\": %.1f}\n", bench.answered,
	       elapsed_us / 1e6, (double)bench.answered * 1e6 / elapsed_us);
}

int main(int argc, char **argv)
{
	char *statement;

	if (argc != 4) {
		fputs(usage, stderr);
		return 2;
	}
	bench.database = argv[1];
	bench.seconds = strtod(argv[3], NULL);
	read_keys();
	statement = read_statement(argv[2]);
	for (unsigned i = 0; i < CONNECTIONS; i++)
		open_lane(&bench.lanes[i], statement);
	free(statement);
	run();
	for (unsigned i = 0; i < CONNECTIONS; i++)
		PQfinish(bench.lanes[i].pg);
	PQclear(bench.keys);
	return 0;
}
