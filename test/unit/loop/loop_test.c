#include "../cmocka_test.h"
#include "base/memory.h"
#include "loop/loop.h"

#include <string.h>

static struct loop loop;
static uv_async_t keeper; /* keeps the loop running until it is closed */
static char order[64];

static int open_loop(void **state)
{
	(void)state;
	memset(order, 0, sizeof(order));
	return loop_init(&loop) || uv_async_init(&loop.uv, &keeper, NULL);
}

static int close_loop(void **state)
{
	(void)state;
	uv_close((uv_handle_t *)&keeper, NULL);
	loop_finish(&loop);
	return 0;
}

struct step {
	struct later later;
	char name;
	int repeats;
	struct step *asks;
	struct step *cancels;
	bool stops;
};

static void note(char name)
{
	size_t length = strlen(order);

	assert_true(length < sizeof(order) - 1);
	order[length] = name;
}

static void on_step(struct later *later)
{
	struct step *step = container_of(later, struct step, later);

	note(step->name);
	if (step->asks)
		loop_later(&loop, &step->asks->later);
	if (step->cancels)
		loop_later_cancel(&step->cancels->later);
	if (step->repeats-- > 0)
		loop_later(&loop, &step->later);
	if (step->stops)
		loop_stop(&loop);
}

static void ask(struct step *step)
{
	loop_later_init(&step->later, on_step);
	loop_later(&loop, &step->later);
}

#define LOOP_TEST(name) TEST_IN(name, open_loop, close_loop)

LOOP_TEST(later_runs_in_the_order_of_asking)
{
	struct step a = {.name = 'a'};
	struct step b = {.name = 'b'};
	struct step c = {.name = 'c', .stops = true};

	ask(&a);
	ask(&b);
	ask(&c);
	loop_later(&loop, &a.later); /* repeating has no effect */
	assert_string_equal(order, "");
	loop_run(&loop);
	assert_string_equal(order, "abc");
}

LOOP_TEST(what_later_asks_for_is_for_the_next_turn)
{
	struct step last = {.name = 'z', .stops = true};
	struct step a = {.name = 'a', .repeats = 2};
	struct step b = {.name = 'b', .asks = &last};

	loop_later_init(&last.later, on_step);
	ask(&a);
	ask(&b);
	loop_run(&loop);
	assert_string_equal(order, "abaz");
	loop_later_cancel(&a.later);
}

LOOP_TEST(cancelled_never_runs)
{
	struct step a = {.name = 'a'};
	struct step c = {.name = 'c'};
	struct step b = {.name = 'b', .cancels = &c};
	struct step d = {.name = 'd', .stops = true};

	ask(&a);
	ask(&b);
	ask(&c); /* removed by b in the same turn */
	ask(&d);
	loop_later_cancel(&a.later);
	loop_later_cancel(&a.later);
	loop_run(&loop);
	assert_string_equal(order, "bd");
}

LOOP_TEST(cancelling_all_lets_the_loop_end)
{
	struct step a = {.name = 'a'};

	uv_unref((uv_handle_t *)&keeper);
	ask(&a);
	loop_later_cancel(&a.later);
	loop_run(&loop);
	assert_string_equal(order, "");
}

struct ending {
	struct turn_end turn_end;
	char name;
	struct ending *removes;
	unsigned *queued; /* counts what the turn has queued; stops the loop if there is any */
	unsigned runs;
};

static void on_turn_end(struct turn_end *turn_end)
{
	struct ending *ending = container_of(turn_end, struct ending, turn_end);

	ending->runs++;
	if (ending->name)
		note(ending->name);
	if (ending->removes)
		turn_end_remove(&ending->removes->turn_end);
	if (ending->queued && *ending->queued) {
		*ending->queued = 0;
		loop_stop(&loop);
	}
}

static void add(struct ending *ending)
{
	ending->turn_end.run = on_turn_end;
	list_init(&ending->turn_end.node);
	turn_end_add(&loop, &ending->turn_end);
}

LOOP_TEST(turn_ends_run_in_order_every_turn)
{
	struct ending a = {.name = 'a'};
	struct ending b = {.name = 'b'};
	struct step step = {.name = '.', .repeats = 1};
	struct step last = {.name = '!', .stops = true};

	add(&a);
	add(&b);
	step.asks = &last;
	loop_later_init(&last.later, on_step);
	ask(&step);
	loop_run(&loop);
	/* the first turn ends before anything was due; "!" stops the loop in the third */
	assert_string_equal(order, "ab.ab!.");
	turn_end_remove(&a.turn_end);
	turn_end_remove(&b.turn_end);
}

/* The walk once looped for ever on the removed next one. */
LOOP_TEST(turn_end_that_removes_the_next)
{
	struct ending c = {.name = 'c'};
	struct ending b = {.name = 'b'};
	struct ending a = {.name = 'a', .removes = &b};
	struct step last = {.name = '!', .stops = true};

	add(&a);
	add(&b);
	add(&c);
	ask(&last);
	loop_run(&loop);
	assert_string_equal(order, "ac!");
	turn_end_remove(&a.turn_end);
	turn_end_remove(&c.turn_end);
}

struct queueing {
	struct deadline deadline;
	unsigned *queued;
};

static void on_queueing(struct deadline *deadline)
{
	*container_of(deadline, struct queueing, deadline)->queued = 1;
}

static void on_too_late(struct deadline *deadline)
{
	(void)deadline;
	note('L');
	loop_stop(&loop);
}

/* Jobs that a timer queues run before the loop sleeps, not when something wakes it. */
LOOP_TEST(turn_ends_before_the_loop_waits)
{
	unsigned queued = 0;
	struct queueing queueing = {.queued = &queued};
	struct ending flush = {.queued = &queued};
	struct deadline too_late;

	add(&flush);
	deadline_init(&queueing.deadline, on_queueing);
	deadline_init(&too_late, on_too_late);
	deadline_set(&loop, &queueing.deadline, 1);
	deadline_set(&loop, &too_late, 20000);
	loop_run(&loop);
	assert_string_equal(order, "");
	assert_int_equal(queued, 0);
	deadline_clear(&loop, &too_late);
	turn_end_remove(&flush.turn_end);
}

static unsigned queued_on_close;

static void on_closed(uv_handle_t *handle)
{
	(void)handle;
	queued_on_close = 1;
}

/* The same applies to what the closing of a handle queues. */
LOOP_TEST(turn_ends_after_closings)
{
	struct ending flush = {.queued = &queued_on_close};
	struct deadline too_late;
	uv_timer_t timer;

	add(&flush);
	uv_timer_init(&loop.uv, &timer);
	uv_close((uv_handle_t *)&timer, on_closed);
	deadline_init(&too_late, on_too_late);
	deadline_set(&loop, &too_late, 20000);
	loop_run(&loop);
	assert_string_equal(order, "");
	deadline_clear(&loop, &too_late);
	turn_end_remove(&flush.turn_end);
}

LOOP_TEST(empty_loop_ends)
{
	struct ending ending = {0};
	struct deadline deadline;

	uv_unref((uv_handle_t *)&keeper);
	add(&ending);
	deadline_init(&deadline, on_too_late);
	deadline_set(&loop, &deadline, 100000);
	loop_run(&loop);
	assert_string_equal(order, "");
	turn_end_remove(&ending.turn_end);
	deadline_clear(&loop, &deadline);
}

RUN_TESTS(NULL, NULL)
