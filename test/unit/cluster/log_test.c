/* The log of PostgreSQL, which other processes write. */
#include "../cmocka_test.h"
#include "base/log.h"
#include "private.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A turn ends though there is always more to read. */
TEST(endless_output_does_not_hold_up_the_reader)
{
	struct cluster cluster = {.socket_fd = -1, .log_fd = open("/dev/zero", O_RDONLY)};

	assert_true(cluster.log_fd >= 0);
	assert_true(cluster_read_log(&cluster));
	assert_true(cluster_read_log(&cluster));
	cluster_close_log(&cluster);
}

/* A turn reads all that a pipe holds: so after the postmaster's end its last words are known. */
TEST(a_turn_reads_what_a_pipe_holds)
{
	enum { PIPE_BYTES = 60 << 10 }; /* less some of each page */
	static const char last[] = "FATAL:  the last words\n";
	static const char line[] = "LOG:  one of many lines\n";
	struct cluster cluster = {.socket_fd = -1};
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	for (size_t sent = 0; sent + strlen(line) + strlen(last) <= PIPE_BYTES;
	     sent += strlen(line))
		assert_int_equal(write(ends[1], line, strlen(line)), strlen(line));
	assert_int_equal(write(ends[1], last, strlen(last)), strlen(last));
	cluster.log_fd = ends[0];
	assert_true(cluster_read_log(&cluster));
	assert_string_equal(cluster.last_fatal, "FATAL:  the last words");
	close(ends[1]);
	assert_false(cluster_read_log(&cluster));
	cluster_close_log(&cluster);
	assert_false(cluster_read_log(&cluster));
}

static int be_silent(void **state)
{
	(void)state;
	log_set_level(LOG_ERROR);
	return 0;
}

RUN_TESTS(be_silent, NULL)
