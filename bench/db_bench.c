/* Reads and writes of one row by its key through a loop, with so many in flight.
 *
 *   test/postgres.py BUILD/test/unit/db/db_bench [IN-FLIGHT [CONNECTIONS [SECONDS]]]
 *
 * Makes its own table in DISPLAYD_TEST_DATABASE. To compare: pgbench -n -M prepared -f FILE with
 * "\set id random(1, 10000)" and the same SELECT. */
#include "base/clock.h"
#include "base/log.h"
#include "base/require.h"
#include "db/db.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { ROWS = 10000, IN_FLIGHT_MAX = 2048 };

static const unsigned id_type[] = {20};
static const unsigned row_types[] = {20, 25, 23};
static const char *const row_names[] = {"id", "name", "count"};
static const struct statement_entry table[] = {
    {
	.name = "row_get",
	.text = "SELECT id, name, count FROM bench_row WHERE id = $1",
	.effect = EFFECT_READ,
	.parameter_count = 1,
	.parameter_types = id_type,
	.column_count = 3,
	.column_names = row_names,
	.column_types = row_types,
    },
    {
	.name = "row_add",
	.text = "UPDATE bench_row SET count = count + 1 WHERE id = $1",
	.effect = EFFECT_WRITE,
	.parameter_count = 1,
	.parameter_types = id_type,
    },
};

struct slot {
	struct db_query query;
	struct arena arena;
};

static struct bench {
	struct loop loop;
	struct db *db;
	struct slot slots[IN_FLIGHT_MAX];
	unsigned in_flight;
	unsigned statement;
	unsigned active;
	unsigned long done;
	unsigned long failed;
	uint64_t end_us;
} bench;

static void ask(struct slot *slot);

static void on_done(struct db_query *query, const struct db_result *result)
{
	struct slot *slot = container_of(query, struct slot, query);

	arena_finish(&slot->arena);
	bench.done++;
	bench.failed += result->outcome != DB_OK;
	bench.active--;
	if (clock_monotonic_us() < bench.end_us)
		ask(slot);
}

static void ask(struct slot *slot)
{
	slot->query.statement = (enum statement)bench.statement;
	slot->query.done = on_done;
	db_parameters_init(&slot->query.parameters, &slot->arena);
	db_add_int8(&slot->query.parameters, 1 + random() % ROWS);
	bench.active++;
	db_submit(bench.db, &slot->query);
}

static uint64_t cpu_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void run(const char *name, unsigned statement, unsigned seconds)
{
	uint64_t start_us = clock_monotonic_us();
	uint64_t start_cpu_us = cpu_us();
	double elapsed_us;

	bench.statement = statement;
	bench.done = bench.failed = 0;
	bench.end_us = start_us + seconds * UINT64_C(1000000);
	for (unsigned i = 0; i < bench.in_flight; i++)
		ask(&bench.slots[i]);
	while (bench.active)
		uv_run(&bench.loop.uv, UV_RUN_ONCE);
	elapsed_us = (double)(clock_monotonic_us() - start_us);
	printf("%s: %.0f/s, %.2f us of CPU each here, %lu failed\n", name,
	       (double)bench.done * 1e6 / elapsed_us,
	       (double)(cpu_us() - start_cpu_us) / (double)bench.done, bench.failed);
}

static void make_table(const char *url)
{
	PGconn *pg = PQconnectdb(url);
	PGresult *result =
	    PQexec(pg, "DROP TABLE IF EXISTS bench_row;"
		       "CREATE TABLE bench_row (id int8 PRIMARY KEY, name text, count int4)"
		       " WITH (fillfactor = 70);"
		       "INSERT INTO bench_row SELECT i, 'name of ' || i, 0"
		       " FROM generate_series(1, 10000) i;"
		       "ANALYZE bench_row");

	if (PQresultStatus(result) != PGRES_COMMAND_OK) {
		fprintf(stderr, "%s", PQerrorMessage(pg));
		exit(1);
	}
	PQclear(result);
	PQfinish(pg);
}

static unsigned argument(int argc, char **argv, int index, unsigned usual)
{
	return index < argc ? (unsigned)strtoul(argv[index], NULL, 10) : usual;
}

static void on_closed(void *context)
{
	*(bool *)context = true;
}

int main(int argc, char **argv)
{
	unsigned connections = argument(argc, argv, 2, 1);
	unsigned seconds = argument(argc, argv, 3, 3);
	struct db_settings settings = {
	    .url = getenv("DISPLAYD_TEST_DATABASE"),
	    .read_connections = connections,
	    .write_connections = connections,
	    .statements = table,
	    .statement_count = array_length(table),
	};
	bool closed = false;

	bench.in_flight = argument(argc, argv, 1, 64);
	require(settings.url && bench.in_flight >= 1 && bench.in_flight <= IN_FLIGHT_MAX);
	log_set_level(LOG_WARN);
	make_table(settings.url);
	require(loop_init(&bench.loop) == 0);
	bench.db = db_create(&bench.loop, &settings);
	while (!db_is_up(bench.db))
		uv_run(&bench.loop.uv, UV_RUN_ONCE);
	run("reads", 0, seconds);
	run("writes", 1, seconds);
	db_close(bench.db, 5000, on_closed, &closed);
	while (!closed)
		uv_run(&bench.loop.uv, UV_RUN_ONCE);
	db_destroy(bench.db);
	loop_finish(&bench.loop);
	return 0;
}
