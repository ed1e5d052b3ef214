/* The order of answers if several workers store pushes to one device. */
#include "push_order.h"
#include "script.h"

static struct push_order order;
static int64_t pushed_generation;

static void on_pushed(void *context, struct id device_id, int64_t generation)
{
	assert_ptr_equal(context, &order);
	assert_true(id_equal(device_id, id_of(1)));
	pushed_generation = generation;
}

static int begin(void **state)
{
	script_begin(state);
	pushed_generation = 0;
	order = (struct push_order){
	    .loop = &script_loop, .db = script_db, .on_pushed = on_pushed, .context = &order};
	push_order_init(&order);
	return 0;
}

static int end(void **state)
{
	push_order_finish(&order);
	return script_end(state);
}

struct waiter {
	struct push_turn turn;
	unsigned place; /* order of arrival, from 1 */
};

static unsigned come_count;

static void on_come(struct push_turn *turn)
{
	container_of(turn, struct waiter, turn)->place = ++come_count;
}

static bool is_next(struct waiter *waiter, struct id device_id, int64_t previous)
{
	*waiter = (struct waiter){.turn = {.come = on_come}};
	return push_order_is_next(&order, &waiter->turn, device_id, previous);
}

static const char *text_of(struct id id)
{
	static char text[ID_TEXT_LENGTH + 1];

	id_format(id, text);
	return text;
}

#define SCENE(function) TEST_IN(function, begin, end)

SCENE(after_an_answer_of_this_worker_the_next_goes_on)
{
	struct waiter waiter;
	char expected[100];

	push_order_answered(&order, id_of(1), 7);
	snprintf(expected, sizeof(expected), "push:%s:7 ", text_of(id_of(1)));
	assert_string_equal(hints_sent(), expected);
	assert_true(is_next(&waiter, id_of(1), 7));
	assert_int_equal(pushed_generation, 0);
}

SCENE(a_push_waits_for_the_answer_of_another_worker)
{
	struct waiter second, third;

	come_count = 0;
	assert_false(is_next(&third, id_of(1), 6));
	assert_false(is_next(&second, id_of(1), 5));
	hint("push:%s:4", text_of(id_of(1)));
	run_turns();
	assert_int_equal(second.place, 0);
	hint("push:%s:5", text_of(id_of(1)));
	assert_int_equal(second.place, 0); /* later, from the loop */
	assert_int_equal(pushed_generation, 5);
	run_turns();
	assert_int_equal(second.place, 1);
	assert_int_equal(third.place, 0);
	push_order_answered(&order, id_of(1), 6);
	run_turns();
	assert_int_equal(third.place, 2);
	assert_int_equal(next_deadline_ms(), UINT64_MAX);
}

SCENE(other_devices_do_not_count)
{
	struct waiter waiter;

	push_order_answered(&order, id_of(2), 9);
	assert_false(is_next(&waiter, id_of(1), 5));
	push_order_answered(&order, id_of(1), 5);
	run_turns();
	assert_int_not_equal(waiter.place, 0);
}

SCENE(nobody_waits_longer_than_300_ms)
{
	struct waiter waiter;

	assert_false(is_next(&waiter, id_of(1), 5));
	pass_ms(299);
	assert_int_equal(waiter.place, 0);
	pass_ms(1);
	assert_int_not_equal(waiter.place, 0);
	/* A later hint finds no waiting push. */
	hint("push:%s:5", text_of(id_of(1)));
	run_turns();
	assert_true(is_next(&waiter, id_of(1), 5));
}

SCENE(without_hints_nobody_waits)
{
	struct waiter waiter;

	set_hints_up(false);
	assert_true(is_next(&waiter, id_of(1), 5));
	set_hints_up(true);
	push_order_drain(&order);
	assert_true(is_next(&waiter, id_of(1), 5));
}

SCENE(answers_are_forgotten_when_nobody_can_ask_for_them)
{
	struct waiter waiter;

	push_order_answered(&order, id_of(1), 5);
	pass_ms(5000);
	push_order_forget(&order);
	assert_int_equal(order.answered.count, 1);
	pass_ms(1);
	assert_false(is_next(&waiter, id_of(2), 3));
	push_order_forget(&order);
	assert_int_equal(order.answered.count, 1); /* a push waits for it */
	pass_ms(300);
	pass_ms(5000);
	push_order_forget(&order);
	assert_int_equal(order.answered.count, 0);
}

SCENE(so_many_answers_are_kept_at_most)
{
	for (unsigned i = 0; i < 21000; i++)
		push_order_answered(&order, id_of(i), 5), (void)hints_sent();
	assert_int_equal(order.answered.count, 20000);
}

/* Hints come in any order: a late one does not take an answer back. */
SCENE(the_newest_answer_counts)
{
	struct waiter waiter;

	push_order_answered(&order, id_of(1), 7);
	hint("push:%s:5", text_of(id_of(1)));
	assert_true(is_next(&waiter, id_of(1), 7));
}

SCENE(pushes_that_wait_go_on_in_their_order)
{
	struct waiter waiters[3];

	come_count = 0;
	for (unsigned i = 0; i < array_length(waiters); i++)
		assert_false(is_next(&waiters[i], id_of(1), 5));
	hint("push:%s:5", text_of(id_of(1)));
	run_turns();
	for (unsigned i = 0; i < array_length(waiters); i++)
		assert_int_equal(waiters[i].place, i + 1);
}

SCENE(a_push_that_waits_is_not_forgotten)
{
	struct waiter waiter;

	assert_false(is_next(&waiter, id_of(1), 5));
	for (unsigned i = 0; i < 21000; i++)
		push_order_answered(&order, id_of(2 + i), 5), (void)hints_sent();
	assert_int_equal(waiter.place, 0);
	hint("push:%s:5", text_of(id_of(1)));
	run_turns();
	assert_int_not_equal(waiter.place, 0);
}

SCENE(hints_that_mean_nothing)
{
	hint("push:");
	hint("push:x:7");
	hint("push:%s", text_of(id_of(1)));
	hint("push:%s:-1", text_of(id_of(1)));
	assert_int_equal(pushed_generation, 0);
	assert_int_equal(order.answered.count, 0);
}

RUN_TESTS(NULL, NULL)
