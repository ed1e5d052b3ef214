#include "loop/loop.h"
#include "base/clock.h"
#include "base/require.h"
#include "metric/metric.h"

#include <errno.h>
#include <stdlib.h>

/* Runs what is due now. Callbacks that become due meanwhile wait for the next turn, so that I/O
 * continues. */
static void run_due(struct loop *loop)
{
	struct list due;
	struct list *node;

	list_init(&due);
	list_move_all(&due, &loop->due_later);
	while ((node = list_take_first(&due))) {
		struct later *later = container_of(node, struct later, node);

		later->run(later);
	}
	if (list_is_empty(&loop->due_later))
		uv_idle_stop(&loop->idle);
}

static void on_check(uv_check_t *check)
{
	struct loop *loop = check->data;

	loop->turn_ms = uv_now(&loop->uv);
	run_due(loop);
	loop->turn++;
}

/* libuv has read the clock when the loop woke up; its milliseconds are those of this clock. */
static void count_turn(struct loop *loop)
{
	uint64_t now_ms = clock_monotonic_ms();

	if (loop->turn_ms == 0 || now_ms < loop->turn_ms)
		return;
	metric_observe(METRIC_LOOP_TURN, 0, (now_ms - loop->turn_ms) * 1000);
	if (now_ms - loop->turn_ms > loop->longest_ms)
		loop->longest_ms = now_ms - loop->turn_ms;
}

uint64_t loop_take_longest_turn_ms(struct loop *loop)
{
	uint64_t longest_ms = loop->longest_ms;

	loop->longest_ms = 0;
	return longest_ms;
}

/* A turn ends when the loop is about to wait: libuv runs timers and the callbacks of closed handles
 * between the last check and this. */
static void on_prepare(uv_prepare_t *prepare)
{
	struct loop *loop = prepare->data;
	struct list pending;
	struct list *node;

	list_init(&pending);
	list_move_all(&pending, &loop->turn_ends);
	while ((node = list_take_first(&pending))) {
		struct turn_end *turn_end = container_of(node, struct turn_end, node);

		list_append(&loop->turn_ends, node);
		turn_end->run(turn_end);
	}
	count_turn(loop);
}

static void on_idle(uv_idle_t *idle)
{
	(void)idle; /* only keeps the loop from sleeping */
}

int loop_init(struct loop *loop)
{
	int error;

	*loop = (struct loop){.turn = 1};
	list_init(&loop->due_later);
	list_init(&loop->turn_ends);
	error = uv_loop_init(&loop->uv);
	if (error)
		return error;
	loop->uv.data = loop;
	loop->timer.data = loop->prepare.data = loop->check.data = loop->idle.data = loop;
	uv_timer_init(&loop->uv, &loop->timer);
	uv_idle_init(&loop->uv, &loop->idle);
	uv_prepare_init(&loop->uv, &loop->prepare);
	uv_prepare_start(&loop->prepare, on_prepare);
	uv_check_init(&loop->uv, &loop->check);
	uv_check_start(&loop->check, on_check);
	/* None of these keeps loop_run() running. */
	uv_unref((uv_handle_t *)&loop->prepare);
	uv_unref((uv_handle_t *)&loop->check);
	uv_unref((uv_handle_t *)&loop->timer);
	return 0;
}

void loop_run(struct loop *loop)
{
	uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
	uv_stop(&loop->uv);
}

void loop_finish(struct loop *loop)
{
	uv_close((uv_handle_t *)&loop->timer, NULL);
	uv_close((uv_handle_t *)&loop->prepare, NULL);
	uv_close((uv_handle_t *)&loop->check, NULL);
	uv_close((uv_handle_t *)&loop->idle, NULL);
	uv_run(&loop->uv, UV_RUN_DEFAULT);
	require(uv_loop_close(&loop->uv) == 0);
	free(loop->heap);
}

uint64_t loop_now_ms(const struct loop *loop)
{
	return uv_now(&loop->uv);
}

void loop_later_init(struct later *later, void (*run)(struct later *later))
{
	list_init(&later->node);
	later->run = run;
}

void loop_later(struct loop *loop, struct later *later)
{
	if (list_is_linked(&later->node))
		return;
	if (list_is_empty(&loop->due_later))
		uv_idle_start(&loop->idle, on_idle);
	list_append(&loop->due_later, &later->node);
}

void loop_later_cancel(struct later *later)
{
	list_remove(&later->node);
}

void turn_end_add(struct loop *loop, struct turn_end *turn_end)
{
	list_append(&loop->turn_ends, &turn_end->node);
}

void turn_end_remove(struct turn_end *turn_end)
{
	list_remove(&turn_end->node);
}
