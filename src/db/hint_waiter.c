#include "hint_waiter.h"
#include "base/memory.h"
#include "base/require.h"

#include <pthread.h>
#include <stdlib.h>

struct hint_waiter {
	uv_async_t async;
	pthread_t thread;
	struct hint_owner *common;
	struct hint_slot *slot;
	unsigned worker;
	_Atomic uint32_t is_over;
	void (*on_wake)(void *context);
	void *context;
};

static void *wait_for_words(void *context)
{
	struct hint_waiter *waiter = context;

	while (hint_wait(waiter->common, waiter->slot, waiter->worker, &waiter->is_over))
		uv_async_send(&waiter->async);
	return NULL;
}

static void on_async(uv_async_t *async)
{
	struct hint_waiter *waiter = container_of(async, struct hint_waiter, async);

	if (!atomic_load(&waiter->is_over))
		waiter->on_wake(waiter->context);
}

static void on_closed(uv_handle_t *handle)
{
	free(container_of((uv_async_t *)handle, struct hint_waiter, async));
}

struct hint_waiter *hint_waiter_start(struct loop *loop, struct hint_owner *common,
				      struct hint_slot *slot, unsigned worker,
				      void (*on_wake)(void *context), void *context)
{
	struct hint_waiter *waiter = memory_zalloc(sizeof(*waiter));

	waiter->common = common;
	waiter->slot = slot;
	waiter->worker = worker;
	waiter->on_wake = on_wake;
	waiter->context = context;
	uv_async_init(&loop->uv, &waiter->async, on_async);
	uv_unref((uv_handle_t *)&waiter->async);
	require(pthread_create(&waiter->thread, NULL, wait_for_words, waiter) == 0);
	return waiter;
}

void hint_waiter_stop(struct hint_waiter *waiter)
{
	if (!waiter)
		return;
	atomic_store(&waiter->is_over, 1);
	hint_wake(waiter->common, UINT32_C(1) << waiter->worker % 32);
	pthread_join(waiter->thread, NULL);
	uv_close((uv_handle_t *)&waiter->async, on_closed);
}
