#include "loop/lane_threads.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_BYTES = 8 << 20 };

struct lane_threads {
	struct loop *loop;
	void (*work)(struct lane_job *job);
	void (*done)(struct loop *loop, struct lane_job *job);
	uv_poll_t poll; /* of ready_fd */
	int ready_fd;	/* readable: there are finished jobs */
	unsigned running;
	unsigned count;
	bool have_started;
	uv_thread_t *threads;

	uv_mutex_t mutex; /* of what follows */
	uv_cond_t wanted;
	struct list waiting;
	struct list finished;
	bool is_ending;
};

/* Tells the loop after the mutex is left: where it wakes on this core at once, nothing here is in
 * its way. */
static void finish_job(struct lane_threads *threads, struct lane_job *job)
{
	uv_mutex_lock(&threads->mutex);
	list_append(&threads->finished, &job->node);
	uv_mutex_unlock(&threads->mutex);
	require(eventfd_write(threads->ready_fd, 1) == 0);
}

static void on_thread(void *argument)
{
	struct lane_threads *threads = argument;
	struct list *node;

	uv_mutex_lock(&threads->mutex);
	while (true) {
		node = list_take_first(&threads->waiting);
		if (!node && threads->is_ending)
			break;
		if (!node) {
			uv_cond_wait(&threads->wanted, &threads->mutex);
			continue;
		}
		uv_mutex_unlock(&threads->mutex);
		threads->work(container_of(node, struct lane_job, node));
		finish_job(threads, container_of(node, struct lane_job, node));
		uv_mutex_lock(&threads->mutex);
	}
	uv_mutex_unlock(&threads->mutex);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct lane_threads *threads = container_of(poll, struct lane_threads, poll);
	eventfd_t count;
	struct list finished;
	struct list *node;

	(void)events;
	require(status == 0);
	(void)eventfd_read(threads->ready_fd, &count);
	list_init(&finished);
	uv_mutex_lock(&threads->mutex);
	list_move_all(&finished, &threads->finished);
	uv_mutex_unlock(&threads->mutex);
	while ((node = list_take_first(&finished))) {
		if (--threads->running == 0)
			uv_unref((uv_handle_t *)&threads->poll);
		threads->done(threads->loop, container_of(node, struct lane_job, node));
	}
}

static void start(struct lane_threads *threads)
{
	const uv_thread_options_t options = {UV_THREAD_HAS_STACK_SIZE, STACK_BYTES};

	threads->threads = memory_zalloc(threads->count * sizeof(*threads->threads));
	for (unsigned i = 0; i < threads->count; i++)
		require(uv_thread_create_ex(&threads->threads[i], &options, on_thread, threads) ==
			0);
	threads->have_started = true;
}

struct lane_threads *lane_threads_create(struct loop *loop, unsigned count,
					 void (*work)(struct lane_job *job),
					 void (*done)(struct loop *loop, struct lane_job *job))
{
	struct lane_threads *threads = memory_zalloc(sizeof(*threads));

	threads->loop = loop;
	threads->count = count;
	threads->work = work;
	threads->done = done;
	list_init(&threads->waiting);
	list_init(&threads->finished);
	threads->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	require(threads->ready_fd >= 0);
	require(uv_mutex_init(&threads->mutex) == 0 && uv_cond_init(&threads->wanted) == 0);
	require(uv_poll_init(&loop->uv, &threads->poll, threads->ready_fd) == 0);
	require(uv_poll_start(&threads->poll, UV_READABLE, on_ready) == 0);
	uv_unref((uv_handle_t *)&threads->poll);
	return threads;
}

void lane_threads_run(struct lane_threads *threads, struct lane_job *job)
{
	if (!threads->have_started)
		start(threads);
	if (threads->running++ == 0)
		uv_ref((uv_handle_t *)&threads->poll);
	uv_mutex_lock(&threads->mutex);
	list_append(&threads->waiting, &job->node);
	uv_cond_signal(&threads->wanted);
	uv_mutex_unlock(&threads->mutex);
}

static void on_closed(uv_handle_t *handle)
{
	struct lane_threads *threads = container_of((uv_poll_t *)handle, struct lane_threads, poll);

	close(threads->ready_fd);
	free(threads->threads);
	free(threads);
}

void lane_threads_destroy(struct lane_threads *threads)
{
	require(threads->running == 0);
	uv_mutex_lock(&threads->mutex);
	threads->is_ending = true;
	uv_cond_broadcast(&threads->wanted);
	uv_mutex_unlock(&threads->mutex);
	for (unsigned i = 0; threads->have_started && i < threads->count; i++)
		uv_thread_join(&threads->threads[i]);
	uv_cond_destroy(&threads->wanted);
	uv_mutex_destroy(&threads->mutex);
	uv_close((uv_handle_t *)&threads->poll, on_closed);
}
