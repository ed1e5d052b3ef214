/* Reads that are limited: read() and recv() of this program are those of limited_reads.c. */
#include "sandboxed/reads.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../test/unit/cmocka_test.h"

enum { SENT = 100, LIMIT = 30 };

static ssize_t by_read(int fd, void *to, size_t size)
{
	return read(fd, to, size);
}

static ssize_t by_recv(int fd, void *to, size_t size)
{
	return recv(fd, to, size, 0);
}

static void check(ssize_t (*take)(int fd, void *to, size_t size))
{
	char bytes[SENT] = {0};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(write(ends[0], bytes, SENT), SENT);
	reads_limit(LIMIT);
	assert_int_equal(take(ends[1], bytes, 20), 20);
	assert_int_equal(take(ends[1], bytes, 20), LIMIT - 20);
	errno = 0;
	assert_int_equal(take(ends[1], bytes, 20), -1);
	assert_int_equal(errno, EAGAIN);
	reads_limit(LIMIT);
	assert_int_equal(take(ends[1], bytes, SENT), LIMIT);
	reads_unlimit();
	assert_int_equal(take(ends[1], bytes, SENT), SENT - 2 * LIMIT);
	close(ends[0]);
	reads_limit(LIMIT);
	assert_int_equal(take(ends[1], bytes, SENT), 0);
	assert_int_equal(reads_left(), LIMIT);
	reads_unlimit();
	close(ends[1]);
}

TEST(reads_end_at_the_limit)
{
	check(by_read);
	check(by_recv);
}

RUN_TESTS(NULL, NULL)
