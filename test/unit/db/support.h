/* A loop, a database with a few tables, and control over the PostgreSQL that test/postgres.py runs.
 */
#pragma once

/* clang-format off */
#include "../cmocka_test.h"
/* clang-format on */

#include "base/arena.h"
#include "db/db.h"
#include "test_statement_ids.h"

#include <libpq-fe.h>

extern const struct statement_entry test_statements[];

/* A query and its outcome. */
struct asked {
	struct db_query query;
	struct arena arena;
	bool done;
	unsigned place; /* order of completion, from 1 */
	enum db_outcome outcome;
	enum constraint_error constraint_error;
	unsigned row_count;
	char text[200]; /* first value of the first row, as received */
	int64_t number; /* the same as a number of 4 or 8 bytes */
	unsigned long length;
	void (*then)(struct asked *asked);
};

struct world {
	struct loop loop;
	struct db *db;
	unsigned done_count;
	unsigned up_count;
	unsigned down_count;
	struct hint_subscription subscription; /* for all words */
	char hints[64 * 1024];		       /* all received hints, each followed by a space */
};

extern struct world world;

/* Runs SQL over a connection of its own. The test fails if the SQL does. */
void run_sql(const char *sql);
/* Whether a query over a connection of its own returns any row. */
bool finds(const char *sql);
/* Whether a statement of any connection is in pg_sleep(). */
bool somebody_sleeps(void);
/* Sends one command to test/postgres.py, see there. */
void control(const char *command);

/* Group setup and teardown: tables, and a watchdog against hangs. */
int make_tables(void **state);

struct db_settings usual_settings(void);
/* Opens a db and waits until it is up: all connections for reads and writes, or, if
 * on_demand_idle_ms is set, those that are always open. */
void open_world(const struct db_settings *settings);
void close_world(void);
/* Setup and teardown of a test in the usual world. */
int open_usual(void **state);
int close_usual(void **state);
/* Closes the world; queries under way get this long to end. */
void close_world_after(uint64_t timeout_ms);

/* Turns the loop until the condition holds. */
#define turn_until(condition)                                                                      \
	while (!(condition))                                                                       \
	uv_run(&world.loop.uv, UV_RUN_ONCE)

struct asked *ask(unsigned statement);
/* Parameters, then: */
void submit(struct asked *asked);
void wait_for(struct asked *asked);
void forget(struct asked *asked);
/* Waits, and forgets the query, whose outcome must be this one. */
void must_be(struct asked *asked, enum db_outcome outcome);

/* Shorthand for common statements. */
struct asked *ask_number(unsigned statement, int64_t number);
