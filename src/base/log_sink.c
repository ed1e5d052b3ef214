#include "log_sink.h"
#include "base/clock.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTICE_BYTES = 512 };

enum sink_kind {
	SINK_WAITS,
	SINK_NEVER_WAITS, /* a regular file, or a description of our own with O_NONBLOCK */
	SINK_SOCKET,
	/* A pipe that this user may not open again: see splice_some(). */
	SINK_SPLICED,
	/* A terminal that this user may not open again. It is polled before each write, which still
	 * blocks if another program takes the last room in between. */
	SINK_ASKED,
};

static struct {
	pthread_mutex_t lock;
	enum sink_kind kind;
	int fd;
	bool is_own; /* the descriptor is owned */
	int from[2]; /* for SINK_SPLICED: a pipe of this process's own, empty between writes */
	size_t atomic_bytes;
	log_sink_notice *notice;
	_Atomic bool is_behind; /* rest_length or lost */
	uint64_t lost;		/* lines since the last notice */
	_Atomic uint64_t lost_ever;
	size_t rest_length;
	/* Complete lines, except that the first one may be partly written. */
	char rest[LIMIT_LOG_BYTES];
} sink = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .fd = STDERR_FILENO,
    .from = {-1, -1},
    .atomic_bytes = PIPE_BUF,
};

/* ---- one write ---- */

static void close_from(void)
{
	for (int i = 0; i < 2; i++) {
		if (sink.from[i] >= 0)
			close(sink.from[i]);
		sink.from[i] = -1;
	}
}

/* Without descriptors lines are lost, and counted. */
static void open_from(void)
{
	if (sink.from[0] < 0 && pipe2(sink.from, O_CLOEXEC | O_NONBLOCK) < 0)
		sink.from[0] = sink.from[1] = -1;
}

/* Moves data to the pipe with splice(2), which never waits: either the whole page is moved, or
 * nothing, and then it is read back. Writing without waiting needs either O_NONBLOCK, which would
 * apply to all processes that share the description, or RWF_NOWAIT, which pipes have only since
 * Linux 6.4. Polling for room first does not help, since others may take it. As with a write of at
 * most PIPE_BUF, other processes' lines never get into the data. */
static ssize_t splice_some(const char *data, size_t size)
{
	char back[PIPE_BUF];
	ssize_t lying, moved;
	int error;

	open_from();
	lying = write(sink.from[1], data, size < sizeof(back) ? size : sizeof(back));
	if (lying < 0)
		return lying;
	moved = splice(sink.from[0], NULL, sink.fd, NULL, (size_t)lying, SPLICE_F_NONBLOCK);
	error = errno;
	if (moved < 0 && read(sink.from[0], back, (size_t)lying) == lying)
		errno = error;
	return moved;
}

static ssize_t write_some(const char *data, size_t size)
{
	struct pollfd asked = {.fd = sink.fd, .events = POLLOUT};
	ssize_t written;

	do {
		if (sink.kind == SINK_SOCKET) {
			written = send(sink.fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
		} else if (sink.kind == SINK_SPLICED) {
			written = splice_some(data, size);
		} else if (sink.kind == SINK_ASKED && poll(&asked, 1, 0) == 0) {
			errno = EAGAIN;
			written = -1;
		} else {
			if (sink.kind == SINK_ASKED && size > PIPE_BUF)
				size = PIPE_BUF;
			written = write(sink.fd, data, size);
		}
	} while (written < 0 && errno == EINTR);
	return written;
}

/* Bytes of the next write: as many lines as can be written atomically, at least one. */
static size_t piece_of(const char *data, size_t size)
{
	const char *end;

	if (size <= sink.atomic_bytes)
		return size;
	end = memrchr(data, '\n', sink.atomic_bytes);
	if (!end)
		end = memchr(data, '\n', size);
	return end ? (size_t)(end - data) + 1 : size;
}

/* Returns how much was written. errno is EAGAIN if the rest may be written later. */
static size_t write_lines(const char *data, size_t size)
{
	size_t done = 0;

	errno = 0;
	while (done < size) {
		ssize_t written = write_some(data + done, piece_of(data + done, size - done));

		if (written <= 0)
			break;
		done += (size_t)written;
	}
	return done;
}

/* ---- lines that do not fit ---- */

static void count_lost(const char *data, size_t size)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	sink.lost += lines;
	sink.lost_ever += lines;
}

/* Keeps the first lines that fit, and counts the others as lost. */
static void keep(const char *data, size_t size)
{
	size_t room = sizeof(sink.rest) - sink.rest_length, fits = size;
	const char *end;

	if (size > room) {
		end = memrchr(data, '\n', room);
		fits = end ? (size_t)(end - data) + 1 : 0;
	}
	memcpy(sink.rest + sink.rest_length, data, fits);
	sink.rest_length += fits;
	count_lost(data + fits, size - fits);
}

/* Requires an empty buffer. Writes lines to the descriptor, and keeps those that it does not take
 * now. Lines that it refuses are lost: the disk is full, or the pipe has no reader. */
static void send_out(const char *data, size_t size)
{
	size_t done = write_lines(data, size);

	if (done == size)
		return;
	if (errno == EAGAIN)
		keep(data + done, size - done);
	else
		count_lost(data + done, size - done);
}

/* Requires an empty buffer. Reports how many lines were dropped, if the output accepts it. */
static void tell_lost(void)
{
	char line[NOTICE_BYTES] = "";
	size_t length = sink.notice ? sink.notice(line, sizeof(line), sink.lost) : 0;
	size_t done = write_lines(line, length);

	if (done == 0 && length > 0)
		return;
	sink.lost = 0;
	if (done < length && errno == EAGAIN)
		keep(line + done, length - done);
}

static void retry(void)
{
	size_t done;

	if (sink.rest_length > 0) {
		done = write_lines(sink.rest, sink.rest_length);
		if (done < sink.rest_length && errno != EAGAIN) {
			count_lost(sink.rest + done, sink.rest_length - done);
			done = sink.rest_length;
		}
		sink.rest_length -= done;
		memmove(sink.rest, sink.rest + done, sink.rest_length);
	}
	if (sink.rest_length == 0 && sink.lost > 0)
		tell_lost();
}

static void note_behind(void)
{
	atomic_store_explicit(&sink.is_behind, sink.rest_length > 0 || sink.lost > 0,
			      memory_order_relaxed);
}

/* ---- public functions ---- */

void log_sink_write(const char *lines, size_t size)
{
	pthread_mutex_lock(&sink.lock);
	if (log_sink_is_behind())
		retry();
	if (sink.lost > 0)
		count_lost(lines, size); /* the notice must come where lines are missing */
	else if (sink.rest_length > 0)
		keep(lines, size);
	else
		send_out(lines, size);
	note_behind();
	pthread_mutex_unlock(&sink.lock);
}

bool log_sink_is_behind(void)
{
	return atomic_load_explicit(&sink.is_behind, memory_order_relaxed);
}

void log_sink_retry(void)
{
	pthread_mutex_lock(&sink.lock);
	retry();
	note_behind();
	pthread_mutex_unlock(&sink.lock);
}

void log_sink_finish(void)
{
	uint64_t end_ms = clock_monotonic_ms() + LIMIT_LOG_END_MS;

	log_sink_retry();
	while (log_sink_is_behind()) {
		struct pollfd fd = {.fd = sink.fd, .events = POLLOUT};
		uint64_t now_ms = clock_monotonic_ms();

		if (now_ms >= end_ms || poll(&fd, 1, (int)(end_ms - now_ms)) <= 0 ||
		    !(fd.revents & POLLOUT))
			return;
		log_sink_retry();
	}
}

static void forget(void)
{
	sink.rest_length = 0;
	sink.lost = 0;
	note_behind();
}

size_t log_sink_atomic_bytes(void)
{
	return sink.atomic_bytes;
}

int log_sink_spliced_from(void)
{
	pthread_mutex_lock(&sink.lock);
	if (sink.kind == SINK_SPLICED)
		open_from();
	pthread_mutex_unlock(&sink.lock);
	return sink.from[0];
}

/* Looks at the descriptor. */
static bool is_file(void)
{
	struct stat info;

	return fstat(sink.fd, &info) == 0 && S_ISREG(info.st_mode);
}

void log_sink_set_fd(int fd)
{
	pthread_mutex_lock(&sink.lock);
	if (sink.is_own)
		close(sink.fd);
	close_from();
	sink.fd = fd;
	sink.kind = SINK_WAITS;
	sink.is_own = false;
	sink.atomic_bytes = is_file() ? SIZE_MAX : PIPE_BUF;
	forget();
	pthread_mutex_unlock(&sink.lock);
}

static void before_fork(void)
{
	pthread_mutex_lock(&sink.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&sink.lock);
}

/* The parent writes its kept lines. Lines of both in one pipe would be mixed, so the child opens a
 * pipe of its own with its first line, when it has its final descriptors. */
static void after_fork_in_child(void)
{
	forget();
	close_from();
	pthread_mutex_unlock(&sink.lock);
}

void log_sink_never_wait(log_sink_notice *notice)
{
	char path[64];
	struct stat info;
	int own;

	if (!sink.notice)
		pthread_atfork(before_fork, after_fork, after_fork_in_child);
	sink.notice = notice;
	sink.atomic_bytes = is_file() ? SIZE_MAX : PIPE_BUF;
	if (fstat(sink.fd, &info) < 0 || S_ISREG(info.st_mode)) {
		sink.kind = SINK_NEVER_WAITS;
		return;
	}
	if (S_ISSOCK(info.st_mode)) {
		sink.kind = SINK_SOCKET;
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", sink.fd);
	own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own >= 0) {
		sink.kind = SINK_NEVER_WAITS;
		sink.fd = own;
		sink.is_own = true;
	} else {
		sink.kind = S_ISFIFO(info.st_mode) ? SINK_SPLICED : SINK_ASKED;
	}
}

uint64_t log_sink_lost(void)
{
	return sink.lost_ever;
}
