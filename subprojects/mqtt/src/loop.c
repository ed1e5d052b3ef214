#include "loop.h"

#include "connection.h"

#include <sandboxed/clock.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LOOP_STACK = 512 << 10, LOOP_EVENTS = 64, LOOP_TURN_MS = 1000 };

struct loop {
	int epoll, wake;
	struct connection *served; /* belongs to the thread */
	pthread_mutex_t lock;
	struct connection *added; /* guarded by the lock */
	atomic_uint connection_count, turn_count;
};

static int wait_ms(const struct loop *loop, int64_t now_ms)
{
	int64_t due_ms = now_ms + LOOP_TURN_MS;

	for (const struct connection *one = loop->served; one; one = one->next_served)
		if (one->due_ms < due_ms)
			due_ms = one->due_ms;
	return due_ms > now_ms ? (int)(due_ms - now_ms) : 0;
}

/* Marks the connections that have something to read or write. */
static void loop_wait(struct loop *loop)
{
	struct epoll_event events[LOOP_EVENTS];
	int count = epoll_wait(loop->epoll, events, LOOP_EVENTS, wait_ms(loop, clock_ms()));
	uint64_t times;

	for (int i = 0; i < count; i++) {
		struct connection *connection = events[i].data.ptr;

		if (connection)
			connection->is_ready = true;
		else
			(void)!read(loop->wake, &times, sizeof(times));
	}
}

static void take_added(struct loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	while (loop->added) {
		struct connection *connection = loop->added;

		loop->added = connection->next_served;
		connection->next_served = loop->served;
		connection->is_ready = true;
		loop->served = connection;
	}
	pthread_mutex_unlock(&loop->lock);
}

static bool is_due(struct connection *connection)
{
	bool was_called = atomic_exchange(&connection->is_called, false);
	bool is_due = was_called || connection->is_ready || connection->due_ms <= clock_ms();

	connection->is_ready = false;
	return is_due;
}

static void serve(struct loop *loop)
{
	for (struct connection **at = &loop->served; *at;) {
		struct connection *connection = *at;

		if (!is_due(connection) || connection_turn(connection)) {
			at = &connection->next_served;
			continue;
		}
		*at = connection->next_served;
		atomic_fetch_sub(&loop->connection_count, 1);
		connection_end(connection);
	}
}

static void *loop_run(void *argument)
{
	struct loop *loop = argument;

	for (;;) {
		loop_wait(loop);
		take_added(loop);
		serve(loop);
		atomic_fetch_add(&loop->turn_count, 1);
	}
	return NULL;
}

static int start_thread(struct loop *loop)
{
	struct epoll_event event = {.events = EPOLLIN};
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	if (loop->epoll < 0 || loop->wake < 0 ||
	    epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->wake, &event) != 0)
		return -1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, LOOP_STACK);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attributes, loop_run, loop);
	pthread_attr_destroy(&attributes);
	return error;
}

struct loop *loop_start(void)
{
	struct loop *loop = memory_take(sizeof(*loop));

	if (!loop)
		return NULL;
	pthread_mutex_init(&loop->lock, NULL);
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (start_thread(loop) == 0)
		return loop;
	if (loop->epoll >= 0)
		close(loop->epoll);
	if (loop->wake >= 0)
		close(loop->wake);
	free(loop);
	return NULL;
}

unsigned loop_connection_count(const struct loop *loop)
{
	return atomic_load(&loop->connection_count);
}

void loop_add(struct loop *loop, struct connection *connection)
{
	connection->api.epoll = loop->epoll;
	connection->wake = loop->wake;
	atomic_fetch_add(&loop->connection_count, 1);
	pthread_mutex_lock(&loop->lock);
	connection->next_served = loop->added;
	loop->added = connection;
	pthread_mutex_unlock(&loop->lock);
	account_ring(loop->wake);
}

unsigned loop_turn_count(const struct loop *loop)
{
	return atomic_load(&loop->turn_count);
}
