#include "loop/lane_threads.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { STACK_BYTES = 8 << 20 };

struct lane_thread {
	struct lane_threads *threads;
	uv_thread_t id;
	struct list idle; /* in the threads' idle ones, while it has no job */
	uv_cond_t wanted;
	struct lane_job *job; /* job to run */
};

struct lane_threads {
	struct loop *loop;
	void (*work)(struct lane_job *job);
	void (*done)(struct loop *loop, struct lane_job *job);
	uv_poll_t poll; /* of ready_fd */
	int ready_fd;	/* readable: there are finished jobs */
	unsigned running;
	unsigned count;
	struct lane_thread *threads; /* NULL: they have not started */

	uv_mutex_t mutex; /* protects the members below, and idle, wanted and job of the threads */
	struct list idle; /* most recently used last */
	struct list finished;
	bool is_ending;
};

/* The thread becomes idle before it notifies the loop, and notifies after releasing the mutex: if
 * the loop wakes on this core at once, nothing delays it. */
static void finish_job(struct lane_thread *thread, struct lane_job *job)
{
	struct lane_threads *threads = thread->threads;

	uv_mutex_lock(&threads->mutex);
	list_append(&threads->finished, &job->node);
	list_append(&threads->idle, &thread->idle);
	uv_mutex_unlock(&threads->mutex);
	require(eventfd_write(threads->ready_fd, 1) == 0);
}

/* Waits for a job. Returns NULL if the threads shall end. */
static struct lane_job *wait_for_job(struct lane_thread *thread)
{
	struct lane_threads *threads = thread->threads;
	struct lane_job *job;

	uv_mutex_lock(&threads->mutex);
	while (!thread->job && !threads->is_ending)
		uv_cond_wait(&thread->wanted, &threads->mutex);
	job = thread->job;
	thread->job = NULL;
	uv_mutex_unlock(&threads->mutex);
	return job;
}

static void on_thread(void *argument)
{
	struct lane_thread *thread = argument;
	struct lane_job *job;

	while ((job = wait_for_job(thread))) {
		thread->threads->work(job);
		finish_job(thread, job);
	}
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
	for (unsigned i = 0; i < threads->count; i++) {
		struct lane_thread *thread = &threads->threads[i];

		thread->threads = threads;
		list_append(&threads->idle, &thread->idle);
		require(uv_cond_init(&thread->wanted) == 0);
	}
	for (unsigned i = 0; i < threads->count; i++)
		require(uv_thread_create_ex(&threads->threads[i].id, &options, on_thread,
					    &threads->threads[i]) == 0);
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
	list_init(&threads->idle);
	list_init(&threads->finished);
	threads->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	require(threads->ready_fd >= 0);
	require(uv_mutex_init(&threads->mutex) == 0);
	require(uv_poll_init(&loop->uv, &threads->poll, threads->ready_fd) == 0);
	require(uv_poll_start(&threads->poll, UV_READABLE, on_ready) == 0);
	uv_unref((uv_handle_t *)&threads->poll);
	return threads;
}

void lane_threads_run(struct lane_threads *threads, struct lane_job *job)
{
	struct lane_thread *thread;

	if (!threads->threads)
		start(threads);
	require(threads->running < threads->count);
	if (threads->running++ == 0)
		uv_ref((uv_handle_t *)&threads->poll);
	uv_mutex_lock(&threads->mutex);
	thread = container_of(threads->idle.previous, struct lane_thread, idle);
	list_remove(&thread->idle);
	thread->job = job;
	uv_cond_signal(&thread->wanted);
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
	unsigned count = threads->threads ? threads->count : 0;

	require(threads->running == 0);
	uv_mutex_lock(&threads->mutex);
	threads->is_ending = true;
	for (unsigned i = 0; i < count; i++)
		uv_cond_signal(&threads->threads[i].wanted);
	uv_mutex_unlock(&threads->mutex);
	for (unsigned i = 0; i < count; i++) {
		uv_thread_join(&threads->threads[i].id);
		uv_cond_destroy(&threads->threads[i].wanted);
	}
	uv_mutex_destroy(&threads->mutex);
	uv_close((uv_handle_t *)&threads->poll, on_closed);
}
