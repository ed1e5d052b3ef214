/* Servers of a connection string: their order, and that a server without answer is skipped. */
#include "support.h"

#include "host_turns.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct hosts_use use = {.settings = NULL};

/* ---- turns ---- */

static struct hosts *hosts_of(const char *url)
{
	struct hosts *hosts = hosts_create(url);

	assert_non_null(hosts);
	return hosts;
}

static struct host_turn turn_of(const struct hosts *hosts, unsigned number)
{
	struct host_turn turn = hosts_first_turn(hosts);

	turn.number = number;
	return turn;
}

/* Checks what libpq gets for a turn, as "host hostaddr port". */
static void must_be_turn(const struct hosts *hosts, unsigned turn, const char *expected)
{
	PGconn *pg = hosts_begin(hosts, &use, turn_of(hosts, turn), NULL);
	PQconninfoOption *options = PQconninfo(pg);
	char text[300] = "";

	for (const PQconninfoOption *one = options; one->keyword; one++)
		if (strcmp(one->keyword, "host") == 0 || strcmp(one->keyword, "hostaddr") == 0 ||
		    strcmp(one->keyword, "port") == 0)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 *text ? " " : "", one->val ? one->val : "-");
	assert_string_equal(text, expected);
	PQconninfoFree(options);
	PQfinish(pg);
}

TEST(lists_are_taken_apart)
{
	struct hosts *hosts = hosts_of("host=127.0.0.1,::1,/tmp port=1,2,3 dbname=x");

	assert_int_equal(hosts_turns(hosts), 3);
	must_be_turn(hosts, 0, "127.0.0.1 - 1");
	must_be_turn(hosts, 1, "::1 - 2");
	must_be_turn(hosts, 2, "/tmp - 3");
	assert_false(hosts_are_near(hosts));
	assert_int_equal(hosts_limit_ms(hosts, 0), HOSTS_EACH_MS);
	hosts_destroy(hosts);
	hosts = hosts_of("postgresql://u@[::1],10.255.255.1:7/db");
	assert_int_equal(hosts_turns(hosts), 2);
	must_be_turn(hosts, 1, "10.255.255.1 - 7");
	hosts_destroy(hosts);
	hosts = hosts_of("host=a.invalid,b.invalid hostaddr=127.0.0.1,127.0.0.2 port=9");
	assert_int_equal(hosts_turns(hosts), 2);
	assert_null(hosts_name(hosts, turn_of(hosts, 0)));
	must_be_turn(hosts, 1, "b.invalid 127.0.0.2 9");
	hosts_destroy(hosts);
	hosts = hosts_of("hostaddr=127.0.0.1,127.0.0.2 port=9,10");
	must_be_turn(hosts, 1, "- 127.0.0.2 10");
	hosts_destroy(hosts);
	hosts = hosts_of("postgresql:///db?host=/tmp");
	assert_int_equal(hosts_turns(hosts), 1);
	assert_true(hosts_are_near(hosts));
	assert_int_equal(hosts_limit_ms(hosts, 0), HOSTS_ONLY_MS);
	hosts_destroy(hosts);
	assert_null(hosts_create("no such thing"));
}

TEST(names_are_looked_up)
{
	struct hosts *hosts = hosts_of("host=a.invalid,127.0.0.1,/tmp,@abstract,localhost");

	assert_string_equal(hosts_name(hosts, turn_of(hosts, 0)), "a.invalid");
	for (unsigned turn = 1; turn < 4; turn++)
		assert_null(hosts_name(hosts, turn_of(hosts, turn)));
	assert_string_equal(hosts_name(hosts, turn_of(hosts, 4)), "localhost");
	hosts_destroy(hosts);
}

/* libpq reports what is wrong with them. */
TEST(lists_that_do_not_match_are_left_to_libpq)
{
	struct hosts *hosts = hosts_of("host=a,b port=1,2,3");
	struct hosts_failure failure;

	assert_int_equal(hosts_turns(hosts), 1);
	assert_null(hosts_connect(hosts, &use, &failure));
	assert_non_null(strstr(failure.words, "could not match 3 port numbers to 2 hosts"));
	assert_int_equal(failure.unavailable, UNAVAILABLE_SETTINGS);
	hosts_destroy(hosts);
}

TEST(variables_name_hosts_too)
{
	struct hosts *hosts;

	setenv("PGHOST", "127.0.0.1,127.0.0.2", 1);
	setenv("PGPORT", "1,2", 1);
	hosts = hosts_of("dbname=x");
	assert_int_equal(hosts_turns(hosts), 2);
	must_be_turn(hosts, 1, "127.0.0.2 - 2");
	hosts_destroy(hosts);
	unsetenv("PGHOST");
	unsetenv("PGPORT");
}

TEST(the_standby_comes_first_where_it_is_preferred)
{
	struct hosts *hosts =
	    hosts_of("host=127.0.0.1,127.0.0.2 target_session_attrs=prefer-standby");
	static const char *const expected[] = {"standby", "standby", "any", "any"};

	assert_int_equal(hosts_turns(hosts), 4);
	for (unsigned turn = 0; turn < 4; turn++) {
		PGconn *pg = hosts_begin(hosts, &use, turn_of(hosts, turn), NULL);
		PQconninfoOption *options = PQconninfo(pg);

		for (const PQconninfoOption *one = options; one->keyword; one++)
			if (strcmp(one->keyword, "target_session_attrs") == 0)
				assert_string_equal(one->val, expected[turn]);
		PQconninfoFree(options);
		PQfinish(pg);
	}
	hosts_destroy(hosts);
}

TEST(what_does_not_pass_by_itself_is_reported)
{
	struct hosts_failure failure = {.unavailable = UNAVAILABLE_NOT};

	hosts_keep_failure(&failure, UNAVAILABLE_SILENT, "first");
	hosts_keep_failure(&failure, UNAVAILABLE_CLOSED, "second");
	assert_string_equal(failure.words, "first");
	hosts_keep_failure(&failure, UNAVAILABLE_PASSWORD, "third\nmore");
	hosts_keep_failure(&failure, UNAVAILABLE_NO_DATABASE, "fourth");
	assert_int_equal(failure.unavailable, UNAVAILABLE_PASSWORD);
	assert_string_equal(failure.words, "third");
}

/* ---- servers ---- */

static void must_give(struct asked *asked)
{
	wait_for(asked);
	assert_int_equal(asked->outcome, DB_OK);
	forget(asked);
}

/* Opens a port that accepts connections, but never answers. */
static int open_silent(unsigned *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(fd, 100), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	*ret_port = ntohs(address.sin_port);
	return fd;
}

/* Puts this many silent servers before that of the test. */
static void make_url(char *url, size_t size, unsigned port, const char *before)
{
	struct hosts *own = hosts_of(usual_settings().url);
	PGconn *pg = hosts_begin(own, &use, hosts_first_turn(own), NULL);

	snprintf(url, size, "host=%s,%s port=%u,%s dbname=%s user=%s", before, PQhost(pg), port,
		 PQport(pg), PQdb(pg), PQuser(pg));
	PQfinish(pg);
	hosts_destroy(own);
}

TEST(one_that_does_not_answer_is_passed_over)
{
	unsigned port;
	int silent = open_silent(&port);
	struct hosts_failure failure;
	struct hosts *hosts;
	char url[500];
	PGconn *pg;

	make_url(url, sizeof(url), port, "localhost");
	hosts = hosts_of(url);
	/* The one that has answered comes first: the other one is not tried, nor the next time. */
	for (unsigned i = 0; i < 2; i++) {
		pg = hosts_connect(hosts, &use, &failure);
		assert_non_null(pg);
		assert_int_equal(failure.unavailable, UNAVAILABLE_NOT);
		hosts_pass_over(hosts, pg);
		PQfinish(pg);
	}
	hosts_destroy(hosts);
	close(silent);
}

/* Returns the timeline of the test's server, which is the second. */
static struct timeline ask_servers(struct hosts *hosts)
{
	struct timeline timeline = {0};

	assert_true(hosts_ask(hosts, &timeline));
	assert_int_equal(hosts_first_turn(hosts).first, 1);
	assert_true(timeline.system != 0);
	assert_int_equal(timeline.number, 1);
	return timeline;
}

/* Servers are asked side by side: those that hang leave the others their time. */
TEST(servers_that_hang_are_asked_beside_the_others)
{
	struct timeline_known known = {0};
	unsigned port;
	int silent = open_silent(&port);
	struct hosts *hosts;
	char url[500];

	make_url(url, sizeof(url), port, "127.0.0.1");
	hosts = hosts_of(url);
	hosts_fence(hosts, &known);
	(void)ask_servers(hosts);
	hosts_destroy(hosts);
	close(silent);
}

TEST(an_old_timeline_is_refused)
{
	struct timeline_known known = {0};
	struct hosts_failure failure;
	struct timeline timeline;
	struct hosts *hosts;
	char url[500];

	make_url(url, sizeof(url), 1, "127.0.0.1");
	hosts = hosts_of(url);
	hosts_fence(hosts, &known);
	timeline = ask_servers(hosts);
	assert_true(timeline_get(&known).system == timeline.system);
	timeline_set(&known, (struct timeline){timeline.system, 2});
	assert_false(hosts_ask(hosts, &timeline));
	assert_null(hosts_connect(hosts, &use, &failure));
	assert_int_equal(failure.unavailable, UNAVAILABLE_REPLACED);
	timeline_set(&known, (struct timeline){timeline.system + 1, 1});
	assert_false(hosts_ask(hosts, &timeline));
	assert_null(hosts_connect(hosts, &use, &failure));
	assert_int_equal(failure.unavailable, UNAVAILABLE_OTHER_SYSTEM);
	hosts_destroy(hosts);
}

TEST(timelines_are_compared)
{
	struct timeline_known known = {0};

	assert_int_equal(timeline_note(&known, (struct timeline){0}), TIMELINE_CURRENT);
	assert_int_equal(timeline_note(&known, (struct timeline){7, 3}), TIMELINE_CURRENT);
	assert_int_equal(timeline_note(&known, (struct timeline){7, 2}), TIMELINE_OLD);
	assert_int_equal(timeline_note(&known, (struct timeline){8, 4}), TIMELINE_OTHER);
	assert_int_equal(timeline_note(&known, (struct timeline){7, 5}), TIMELINE_CURRENT);
	assert_int_equal(timeline_get(&known).number, 5);
}

/* Another worker finds a newer timeline: connections to the old one end. */
TEST(workers_leave_a_server_that_was_replaced)
{
	struct timeline_known known = {0};
	struct db_settings settings = usual_settings();
	struct timeline timeline;
	char url[500];

	make_url(url, sizeof(url), 1, "127.0.0.1");
	settings.url = url;
	settings.timeline = &known;
	open_world(&settings);
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
	timeline = timeline_get(&known);
	assert_int_equal(timeline.number, 1);
	timeline_set(&known, (struct timeline){timeline.system, 2});
	turn_until(!db_is_up(world.db) && !db_hints_are_up(world.db));
	turn_until(db_unavailable(world.db) == UNAVAILABLE_REPLACED);
	timeline_set(&known, timeline);
	turn_until(db_is_up(world.db) && db_hints_are_up(world.db));
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
	close_world();
}

/* A pass has tried the first server when another one finds that the second works. */
TEST(a_pass_keeps_its_order)
{
	struct hosts_failure failure;
	struct host_turn turn;
	struct hosts *hosts;
	char url[500], port[16];
	PGconn *pg;

	make_url(url, sizeof(url), 1, "127.0.0.1");
	hosts = hosts_of(url);
	turn = hosts_first_turn(hosts);
	pg = hosts_connect(hosts, &use, &failure);
	assert_non_null(pg);
	snprintf(port, sizeof(port), "%s", PQport(pg));
	PQfinish(pg);
	for (turn.number = 1; turn.number < hosts_turns(hosts); turn.number++) {
		pg = hosts_begin(hosts, &use, turn, NULL);
		assert_string_equal(PQport(pg), port);
		PQfinish(pg);
	}
	hosts_destroy(hosts);
}

TEST(none_of_them_answers)
{
	unsigned port;
	int silent = open_silent(&port);
	struct hosts_failure failure;
	struct hosts *hosts;
	char url[500];

	snprintf(url, sizeof(url), "host=127.0.0.1,127.0.0.1 port=%u,1", port);
	hosts = hosts_of(url);
	assert_null(hosts_connect(hosts, &use, &failure));
	assert_int_equal(failure.unavailable, UNAVAILABLE_SILENT);
	assert_string_equal(failure.words, "the server does not answer");
	hosts_destroy(hosts);
	close(silent);
}

TEST(a_worker_passes_it_over_too)
{
	struct db_settings settings = usual_settings();
	unsigned port;
	int silent = open_silent(&port);
	char url[500];

	make_url(url, sizeof(url), port, "127.0.0.1");
	settings.url = url;
	open_world(&settings);
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
	close_world();
	/* An unknown name does not delay either. */
	make_url(url, sizeof(url), port, "database.invalid");
	open_world(&settings);
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
	close_world();
	close(silent);
}

/* ---- a server that hangs ---- */

TEST(all_is_answered_when_it_hangs)
{
	struct asked *read, *write;

	open_world(NULL);
	control("pause");
	read = ask_number(TEST_STATEMENT_ECHO, 1);
	write = ask(TEST_STATEMENT_TRANSACTION_WRITE);
	submit(write);
	wait_for(write);
	wait_for(read);
	assert_int_equal(read->outcome, DB_UNAVAILABLE);
	assert_int_equal(write->outcome, DB_UNAVAILABLE);
	assert_int_equal(db_unavailable(world.db), UNAVAILABLE_SILENT);
	forget(read);
	forget(write);
	/* At once, without a connection to wait for. */
	read = ask_number(TEST_STATEMENT_ECHO, 1);
	uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	uv_run(&world.loop.uv, UV_RUN_NOWAIT);
	assert_true(read->done);
	assert_int_equal(read->outcome, DB_UNAVAILABLE);
	forget(read);
	control("resume");
	turn_until(db_is_up(world.db) && db_hints_are_up(world.db));
	must_give(ask_number(TEST_STATEMENT_ECHO, 1));
	close_world();
}

RUN_TESTS(make_tables, NULL)
