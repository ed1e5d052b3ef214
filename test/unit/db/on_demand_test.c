/* Connections that close while they are not needed. */
#include "pool.h"
#include "support.h"

#include <stdio.h>

/* much longer than the test, and as short as possible */
enum { LONG_MS = 3600 * 1000, SHORT_MS = 1 };

static struct loop loop;
static struct pool pool;
static struct on_demand on_demand;
static bool time_is_up;
static uv_prepare_t alive; /* keeps the loop running while all connections rest */

static void on_prepare(uv_prepare_t *prepare)
{
	(void)prepare;
}

static void on_up(struct connection *connection)
{
	(void)connection;
	on_demand_use(&on_demand);
}

static void on_down(struct connection *connection)
{
	(void)connection;
}

static bool is_up(unsigned number)
{
	return connection_is_up(&pool.connections[number]);
}

static void turn(void)
{
	uv_run(&loop.uv, UV_RUN_ONCE);
}

static void on_time(struct deadline *deadline)
{
	(void)deadline;
	time_is_up = true;
}

/* Deadlines run in order: after this one, that of the on-demand connections has run, too. */
static void turn_until_looked_at(void)
{
	struct deadline ours;

	time_is_up = false;
	deadline_init(&ours, on_time);
	deadline_set(&loop, &ours, 100 * SHORT_MS);
	while (!time_is_up)
		turn();
}

/* Lets unused connections close from now on. */
static void shorten_idle_time(void)
{
	on_demand.idle_ms = SHORT_MS;
	deadline_clear(&loop, &on_demand.deadline);
	on_demand_use(&on_demand);
}

static struct hosts *hosts;

/* Opens a permanent connection and one more, of a user that may connect only while a test permits
 * it. */
static int open_two(void **state)
{
	static const struct connection_role role = {
	    .name = "read",
	    .metric = METRIC_DATABASE_READ,
	    .answer_ms = 10 * 1000,
	    .on_up = on_up,
	    .on_down = on_down,
	};
	static char url[500];
	const char *own = usual_settings().url;
	struct connection connection = {
	    .loop = &loop,
	    .owner = &pool,
	    .statements = test_statements,
	    .statement_count = TEST_STATEMENT_COUNT,
	    .effect = EFFECT_READ,
	};

	(void)state;
	run_sql("CREATE ROLE visitor LOGIN");
	run_sql("GRANT ALL ON item TO visitor");
	snprintf(url, sizeof(url), "%.*suser=visitor", (int)(strstr(own, "user=") - own), own);
	connection.hosts = hosts = hosts_create(url);
	assert_int_equal(loop_init(&loop), 0);
	uv_prepare_init(&loop.uv, &alive);
	uv_prepare_start(&alive, on_prepare);
	on_demand_init(&on_demand, &loop, LONG_MS);
	pool_start(&pool, &connection, &role, 2, &on_demand);
	while (!is_up(0))
		turn();
	on_demand_need(&on_demand);
	while (!is_up(1))
		turn();
	return 0;
}

static int close_two(void **state)
{
	(void)state;
	on_demand_finish(&on_demand);
	pool_close(&pool);
	hosts_destroy(hosts);
	uv_close((uv_handle_t *)&alive, NULL);
	loop_finish(&loop);
	run_sql("DROP OWNED BY visitor");
	run_sql("DROP ROLE visitor");
	return 0;
}

/* No further connection is permitted. */
static void end_connection(unsigned number)
{
	char sql[100];

	run_sql("ALTER ROLE visitor CONNECTION LIMIT 0");
	snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d, 60000)",
		 PQbackendPID(pool.connections[number].pg));
	run_sql(sql);
	while (is_up(number))
		turn();
}

#define SCENE(name) TEST_IN(name, open_two, close_two)

SCENE(test_unneeded_it_sleeps)
{
	shorten_idle_time();
	while (!connection_is_asleep(&pool.connections[1]))
		turn();
	assert_true(is_up(0));
}

/* The on-demand connection replaces the first one, since there is no other. */
SCENE(test_it_stands_in_for_the_first)
{
	end_connection(0);
	shorten_idle_time();
	turn_until_looked_at();
	assert_false(is_up(0));
	assert_true(is_up(1));
	run_sql("ALTER ROLE visitor CONNECTION LIMIT -1");
	while (!is_up(0) || !connection_is_asleep(&pool.connections[1]))
		turn();
}

/* A connection that cannot be opened does not help, so it is not tried. */
SCENE(test_while_both_are_down_it_sleeps)
{
	end_connection(1);
	end_connection(0);
	shorten_idle_time();
	while (!connection_is_asleep(&pool.connections[1]))
		turn();
	assert_false(is_up(0));
}

static void wake_with_a_changed_table(void)
{
	shorten_idle_time();
	while (!connection_is_asleep(&pool.connections[1]))
		turn();
	run_sql("ALTER TABLE item ADD COLUMN extra int");
	on_demand.idle_ms = LONG_MS;
	on_demand_need(&on_demand);
}

static void wait_until_the_table_fits(void)
{
	while (pool.connections[1].unavailable != UNAVAILABLE_SCHEMA)
		turn();
	run_sql("ALTER TABLE item DROP COLUMN extra");
	while (!is_up(1))
		turn();
}

/* It is opened although a statement does not fit the database. After a loss, all statements must.
 */
SCENE(test_it_prepares_at_first_use)
{
	wake_with_a_changed_table();
	while (!is_up(1))
		turn();
	end_connection(1);
	run_sql("ALTER ROLE visitor CONNECTION LIMIT -1");
	wait_until_the_table_fits();
}

SCENE(test_one_for_lists_prepares_all)
{
	pool.connections[1].gives_single_rows = true;
	wake_with_a_changed_table();
	wait_until_the_table_fits();
}

RUN_TESTS(make_tables, NULL)
