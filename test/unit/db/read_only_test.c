/* A primary that is set to be read-only. */
#include "base/decimal.h"
#include "support.h"

static void must_read(void)
{
	struct asked *asked = ask_number(TEST_STATEMENT_ITEM_ALL, 1);

	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	forget(asked);
}

static struct asked *add_item(int64_t id, struct str name)
{
	struct asked *asked = ask(TEST_STATEMENT_ITEM_ADD);

	db_add_int8(&asked->query.parameters, id);
	db_add_text(&asked->query.parameters, name);
	submit(asked);
	return asked;
}

/* Names are unique, too. */
static enum db_outcome try_to_add(int64_t id)
{
	char name[DECIMAL_BYTES_MAX];
	struct asked *asked = add_item(id, (struct str){name, decimal_format(id, name)});
	enum db_outcome outcome;

	wait_for(asked);
	outcome = asked->outcome;
	forget(asked);
	return outcome;
}

static void set_read_only(const char *how, int64_t id, enum db_outcome wanted)
{
	run_sql(how);
	run_sql("SELECT pg_reload_conf()");
	/* The process of the connection notices it a moment later. */
	while (try_to_add(id) != wanted)
		;
}

/* Writes are unavailable, not failed; reads go on, over new connections, too. */
TEST_IN(reads_go_on, open_usual, close_usual)
{
	set_read_only("ALTER SYSTEM SET default_transaction_read_only = on", 500, DB_UNAVAILABLE);
	assert_true(db_is_read_only(world.db));
	run_sql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
		"WHERE datname = current_database() AND pid <> pg_backend_pid()");
	turn_until(!db_is_up(world.db));
	turn_until(db_is_up(world.db));
	must_read();
	assert_int_equal(try_to_add(500), DB_UNAVAILABLE);
	assert_true(db_is_read_only(world.db));
	set_read_only("ALTER SYSTEM RESET default_transaction_read_only", 501, DB_OK);
	assert_false(db_is_read_only(world.db));
}

RUN_TESTS(make_tables, NULL)
