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

static void after_an_answer_of_this_worker_the_next_goes_on(void **state)
{
	struct waiter waiter;
	char expected[100];

	(void)state;
	push_order_answered(&order, id_of(1), 7);
	snprintf(expected, sizeof(expected), "push:%s:7 ", text_of(id_of(1)));
	assert_string_equal(hints_sent(), expected);
	assert_true(is_next(&waiter, id_of(1), 7));
	assert_int_equal(pushed_generation, 0);
}

static void a_push_waits_for_the_answer_of_another_worker(void **state)
{
	struct waiter second, third;

	(void)state;
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

static void other_devices_do_not_count(void **state)
{
	struct waiter waiter;

	(void)state;
	push_order_answered(&order, id_of(2), 9);
	assert_false(is_next(&waiter, id_of(1), 5));
	push_order_answered(&order, id_of(1), 5);
	run_turns();
	assert_int_not_equal(waiter.place, 0);
}

static void nobody_waits_longer_than_300_ms(void **state)
{
	struct waiter waiter;

	(void)state;
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

static void without_hints_nobody_waits(void **state)
{
	struct waiter waiter;

	(void)state;
	set_hints_up(false);
	assert_true(is_next(&waiter, id_of(1), 5));
	set_hints_up(true);
	push_order_drain(&order);
	assert_true(is_next(&waiter, id_of(1), 5));
}

static void answers_are_forgotten_when_nobody_can_ask_for_them(void **state)
{
	struct waiter waiter;

	(void)state;
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

static void so_many_answers_are_kept_at_most(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 21000; i++)
		push_order_answered(&order, id_of(i), 5), (void)hints_sent();
	assert_int_equal(order.answered.count, 20000);
}

/* Hints come in any order: a late one does not take an answer back. */
static void the_newest_answer_counts(void **state)
{
	struct waiter waiter;

	(void)state;
	push_order_answered(&order, id_of(1), 7);
	hint("push:%s:5", text_of(id_of(1)));
	assert_true(is_next(&waiter, id_of(1), 7));
}

static void pushes_that_wait_go_on_in_their_order(void **state)
{
	struct waiter waiters[3];

	(void)state;
	come_count = 0;
	for (unsigned i = 0; i < array_length(waiters); i++)
		assert_false(is_next(&waiters[i], id_of(1), 5));
	hint("push:%s:5", text_of(id_of(1)));
	run_turns();
	for (unsigned i = 0; i < array_length(waiters); i++)
		assert_int_equal(waiters[i].place, i + 1);
}

static void a_push_that_waits_is_not_forgotten(void **state)
{
	struct waiter waiter;

	(void)state;
	assert_false(is_next(&waiter, id_of(1), 5));
	for (unsigned i = 0; i < 21000; i++)
		push_order_answered(&order, id_of(2 + i), 5), (void)hints_sent();
	assert_int_equal(waiter.place, 0);
	hint("push:%s:5", text_of(id_of(1)));
	run_turns();
	assert_int_not_equal(waiter.place, 0);
}

static void hints_that_mean_nothing(void **state)
{
	(void)state;
	hint("push:");
	hint("push:x:7");
	hint("push:%s", text_of(id_of(1)));
	hint("push:%s:-1", text_of(id_of(1)));
	assert_int_equal(pushed_generation, 0);
	assert_int_equal(order.answered.count, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(after_an_answer_of_this_worker_the_next_goes_on),
	    TEST(a_push_waits_for_the_answer_of_another_worker),
	    TEST(other_devices_do_not_count),
	    TEST(nobody_waits_longer_than_300_ms),
	    TEST(without_hints_nobody_waits),
	    TEST(answers_are_forgotten_when_nobody_can_ask_for_them),
	    TEST(so_many_answers_are_kept_at_most),
	    TEST(the_newest_answer_counts),
	    TEST(pushes_that_wait_go_on_in_their_order),
	    TEST(a_push_that_waits_is_not_forgotten),
	    TEST(hints_that_mean_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
