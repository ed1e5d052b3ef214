#include "../cmocka_test.h"
#include "base/memory.h"
#include "loop/budgeted_queue.h"

#include <string.h>

enum { OBJECTS = 10, BUDGET_NS = 100 };

struct object {
	struct list node;
	unsigned number;
	unsigned repeats;
	unsigned flow;
	struct object *removes;
};

static struct loop loop;
static struct budgeted_queue queue;
static struct fair_flow flows[3];
static struct turn_end turn_end;
static struct object objects[OBJECTS];
static uint64_t now_ns;
static uint64_t cost_ns; /* of one object */
static char order[64];	 /* order of calls; a bar is the end of a turn with calls */

static uint64_t fake_now_ns(void)
{
	return now_ns;
}

static void note(char c)
{
	size_t length = strlen(order);

	assert_true(length < sizeof(order) - 1);
	order[length] = c;
}

static void on_run(struct list *node)
{
	struct object *object = container_of(node, struct object, node);

	assert_false(list_is_linked(node));
	note((char)('0' + object->number));
	now_ns += cost_ns;
	if (object->repeats) {
		object->repeats--;
		budgeted_queue_add(&queue, &flows[object->flow], node);
	}
	if (object->removes)
		list_remove(&object->removes->node);
}

static void on_turn_end(struct turn_end *end)
{
	(void)end;
	if (*order && order[strlen(order) - 1] != '|')
		note('|');
}

static int set_up(void **state)
{
	(void)state;
	memset(order, 0, sizeof(order));
	memset(objects, 0, sizeof(objects));
	now_ns = 12345;
	if (loop_init(&loop) != 0)
		return -1;
	budgeted_queue_init(&queue, &loop, on_run);
	queue.budget_ns = BUDGET_NS;
	queue.now_ns = fake_now_ns;
	turn_end.run = on_turn_end;
	turn_end_add(&loop, &turn_end);
	for (unsigned i = 0; i < array_length(flows); i++)
		fair_flow_init(&flows[i]);
	for (unsigned i = 0; i < OBJECTS; i++) {
		objects[i].number = i;
		list_init(&objects[i].node);
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	budgeted_queue_finish(&queue);
	for (unsigned i = 0; i < array_length(flows); i++)
		fair_flow_finish(&flows[i]);
	turn_end_remove(&turn_end);
	loop_finish(&loop);
	return 0;
}

static void add(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		budgeted_queue_add(&queue, &flows[objects[i].flow], &objects[i].node);
}

/* The loop ends by itself if nothing is due; then the last turn has no end. */
static void assert_order(const char *expected)
{
	loop_run(&loop);
	if (*order && order[strlen(order) - 1] == '|')
		order[strlen(order) - 1] = '\0';
	assert_string_equal(order, expected);
}

TEST_IN(all_in_one_turn_where_time_allows, set_up, tear_down)
{
	cost_ns = 1;
	add(OBJECTS);
	assert_string_equal(order, "");
	assert_order("0123456789");
}

TEST_IN(a_turn_keeps_to_its_budget, set_up, tear_down)
{
	cost_ns = 40; /* the third one uses it up */
	add(8);
	assert_order("012|345|67");
}

TEST_IN(what_takes_longer_than_a_budget_gets_a_turn_of_its_own, set_up, tear_down)
{
	cost_ns = 1000;
	add(3);
	assert_order("0|1|2");
}

TEST_IN(asking_twice_is_asking_once, set_up, tear_down)
{
	cost_ns = 1;
	add(2);
	add(2);
	assert_order("01");
}

TEST_IN(who_asks_again_waits_for_those_before, set_up, tear_down)
{
	cost_ns = 40;
	objects[0].repeats = 2;
	add(4);
	assert_order("012|300");
}

TEST_IN(owners_take_turns, set_up, tear_down)
{
	cost_ns = 40;
	objects[7].flow = 1;
	objects[8].flow = 2;
	objects[9].flow = 1;
	add(OBJECTS);
	assert_order("078|192|345|6");
}

TEST_IN(a_flow_whose_objects_were_taken_out_has_no_turn, set_up, tear_down)
{
	cost_ns = 40;
	objects[0].removes = &objects[1];
	objects[1].flow = 1;
	objects[2].flow = 2;
	add(4);
	assert_order("023");
}

TEST_IN(one_that_is_taken_out_does_not_run, set_up, tear_down)
{
	cost_ns = 60;
	objects[0].removes = &objects[1]; /* in the same turn */
	objects[2].removes = &objects[4]; /* in another one */
	add(6);
	assert_order("02|35");
}

RUN_TESTS(NULL, NULL)
