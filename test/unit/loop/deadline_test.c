/* Deadlines compared with the simplest model: an array of what is set for which time. The clock
 * is the loop's own. Deadlines need not be quick, but never run early or out of order. */
#include "../cmocka_test.h"
#include "base/memory.h"
#include "loop/loop.h"

#include <stdlib.h>

enum { COUNT = 200, HORIZON_MS = 40, CHANGES = 4000 };

struct timed {
	struct deadline deadline;
	bool is_set;
	uint64_t at_ms;
	unsigned runs;
};

static struct loop loop;
static uv_async_t keeper;
static struct timed timed[COUNT];
static unsigned set_count;
static unsigned changes_left;
static uint64_t last_at_ms;

static void on_deadline(struct deadline *deadline);

static int open_loop(void **state)
{
	(void)state;
	if (loop_init(&loop) || uv_async_init(&loop.uv, &keeper, NULL))
		return -1;
	for (int i = 0; i < COUNT; i++) {
		timed[i] = (struct timed){0};
		deadline_init(&timed[i].deadline, on_deadline);
	}
	set_count = changes_left = 0;
	last_at_ms = 0;
	return 0;
}

static int close_loop(void **state)
{
	(void)state;
	uv_close((uv_handle_t *)&keeper, NULL);
	loop_finish(&loop);
	return 0;
}

static void set(struct timed *t, uint64_t at_ms)
{
	deadline_set_at(&loop, &t->deadline, at_ms);
	/* set within a deadline, it is for a later millisecond */
	if (loop.deadlines_run && at_ms <= loop_now_ms(&loop))
		at_ms = loop_now_ms(&loop) + 1;
	set_count += !t->is_set;
	t->is_set = true;
	t->at_ms = at_ms;
}

static void clear(struct timed *t)
{
	deadline_clear(&loop, &t->deadline);
	set_count -= t->is_set;
	t->is_set = false;
}

static void change_something(void)
{
	struct timed *t = &timed[rand() % COUNT];

	if (rand() % 4 == 0)
		clear(t);
	else
		set(t, loop_now_ms(&loop) + (uint64_t)(rand() % HORIZON_MS));
	assert_int_equal(deadline_is_set(&t->deadline), t->is_set);
}

static void on_deadline(struct deadline *deadline)
{
	struct timed *t = container_of(deadline, struct timed, deadline);

	assert_true(t->is_set);
	assert_false(deadline_is_set(deadline));
	assert_true(loop_now_ms(&loop) >= t->at_ms);
	assert_true(t->at_ms >= last_at_ms);
	last_at_ms = t->at_ms;
	t->is_set = false;
	t->runs++;
	set_count--;
	for (int i = 0; i < 3 && changes_left > 0; i++, changes_left--)
		change_something();
	if (set_count == 0)
		loop_stop(&loop);
}

static void assert_heap(void)
{
	unsigned is_set = 0;

	assert_int_equal(loop.heap_count, set_count);
	for (uint32_t i = 2; i <= loop.heap_count; i++)
		assert_true((int32_t)(loop.heap[i]->filed_ms - loop.heap[i / 2]->filed_ms) >= 0);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(deadline_is_set(&timed[i].deadline), timed[i].is_set);
		is_set += timed[i].is_set;
	}
	assert_int_equal(is_set, set_count);
}

#define DEADLINE_TEST(name) TEST_IN(name, open_loop, close_loop)

DEADLINE_TEST(random_changes)
{
	srand(1);
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < CHANGES; i++)
			change_something();
		assert_heap();
		changes_left = CHANGES;
		last_at_ms = 0;
		if (set_count > 0)
			loop_run(&loop);
		assert_int_equal(set_count, 0);
		assert_heap();
	}
}

DEADLINE_TEST(moved_to_later_runs_once)
{
	set(&timed[0], loop_now_ms(&loop) + 1);
	set(&timed[0], loop_now_ms(&loop) + 5);
	set(&timed[1], loop_now_ms(&loop) + 2);
	set(&timed[0], loop_now_ms(&loop) + 10);
	loop_run(&loop);
	assert_int_equal(timed[0].runs, 1);
	assert_int_equal(timed[1].runs, 1);
}

DEADLINE_TEST(moved_to_earlier_runs_early)
{
	set(&timed[0], loop_now_ms(&loop) + 3600000);
	set(&timed[1], loop_now_ms(&loop) + 7200000);
	set(&timed[1], loop_now_ms(&loop) + 2);
	set(&timed[0], loop_now_ms(&loop) + 1);
	loop_run(&loop);
	assert_int_equal(timed[0].runs + timed[1].runs, 2);
}

DEADLINE_TEST(cleared_never_runs)
{
	for (int i = 0; i < 10; i++)
		set(&timed[i], loop_now_ms(&loop) + 1 + (uint64_t)i % 3);
	for (int i = 0; i < 9; i++)
		clear(&timed[i]);
	clear(&timed[0]);
	loop_run(&loop);
	for (int i = 0; i < 9; i++)
		assert_int_equal(timed[i].runs, 0);
	assert_int_equal(timed[9].runs, 1);
}

static unsigned repeats;
static unsigned turns;

/* The heap compares only half of a time. */
DEADLINE_TEST(the_first_is_first_however_far_apart_they_are)
{
	static const uint64_t half_ms = UINT64_C(1) << 32;
	static const uint64_t times_ms[] = {
	    0, half_ms - 2, half_ms - 1, half_ms, half_ms + 1, 3 * half_ms / 2, UINT64_MAX,
	};

	loop.uv.time = half_ms - 1; /* until the loop runs */
	for (unsigned from = 0; from < array_length(times_ms); from++) {
		for (unsigned i = 0; i < array_length(times_ms); i++) {
			struct timed *t = &timed[(from + i) % array_length(times_ms)];

			set(t, times_ms[(from + i) % array_length(times_ms)]);
			assert_heap();
		}
		for (unsigned i = 0; i < array_length(times_ms) - 2; i++) {
			assert_ptr_equal(loop.heap[1], &timed[i].deadline);
			assert_int_equal(timed[i].deadline.at_ms, times_ms[i]);
			clear(&timed[i]);
		}
		/* The last two are stored under the same time. */
		assert_int_equal(timed[5].deadline.at_ms, times_ms[5]);
		assert_int_equal(timed[6].deadline.at_ms, times_ms[6]);
		clear(&timed[5]);
		clear(&timed[6]);
	}
}

DEADLINE_TEST(what_is_further_than_the_heap_can_tell_is_filed_anew)
{
	enum { FURTHEST_MS = 1 << 29 };
	struct timed *far = &timed[0], *near = &timed[1];
	uint64_t now_ms;

	uv_update_time(&loop.uv);
	now_ms = loop_now_ms(&loop);
	loop.uv.time = now_ms + 20 - FURTHEST_MS; /* until the loop runs */
	set(far, now_ms + 60);
	assert_int_equal(far->deadline.filed_ms, (uint32_t)(now_ms + 20));
	uv_update_time(&loop.uv);
	set(near, now_ms + 1);
	loop_run(&loop);
	assert_int_equal(near->runs, 1);
	assert_int_equal(far->runs, 1);
}

static void on_again(struct deadline *deadline)
{
	if (++repeats < 5)
		deadline_set(&loop, deadline, 0);
	else
		loop_stop(&loop);
}

static void on_turn(struct turn_end *turn_end)
{
	(void)turn_end;
	turns++;
}

/* A deadline that always requests "now" once kept the loop in the timer's callback for ever. */
DEADLINE_TEST(now_is_another_turn)
{
	struct turn_end turn_end = {.run = on_turn};
	struct deadline deadline;

	list_init(&turn_end.node);
	turn_end_add(&loop, &turn_end);
	deadline_init(&deadline, on_again);
	deadline_set(&loop, &deadline, 0);
	loop_run(&loop);
	assert_int_equal(repeats, 5);
	assert_true(turns >= 4);
	turn_end_remove(&turn_end);
}

RUN_TESTS(NULL, NULL)
