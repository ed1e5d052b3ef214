/* Turns of owners in a queue. */
#include "../cmocka_test.h"
#include "loop/fair_queue.h"

static struct fair_queue queue;
static struct fair_flow one, other;
static struct list nodes[6];

static int set_up(void **state)
{
	(void)state;
	fair_queue_init(&queue);
	fair_flow_init(&one);
	fair_flow_init(&other);
	for (unsigned i = 0; i < array_length(nodes); i++)
		list_init(&nodes[i]);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fair_flow_finish(&one);
	fair_flow_finish(&other);
	return fair_queue_is_empty(&queue) ? 0 : -1;
}

static void add(struct fair_flow *flow, unsigned number)
{
	fair_queue_add(&queue, flow, &nodes[number]);
}

static void assert_taken(unsigned number)
{
	struct list *node = fair_queue_take(&queue);

	assert_ptr_equal(node, &nodes[number]);
	assert_false(list_is_linked(node));
}

#define SCENE(function) TEST_IN(function, set_up, tear_down)

SCENE(an_owner_with_many_waits_for_each_other)
{
	for (unsigned i = 0; i < 4; i++)
		add(&one, i);
	assert_taken(0);
	add(&other, 4);
	assert_taken(1); /* it came first */
	assert_taken(4);
	add(&other, 5);
	assert_taken(2);
	assert_taken(5);
	assert_taken(3);
	assert_null(fair_queue_take(&queue));
}

SCENE(who_asks_again_keeps_the_place)
{
	add(&one, 0);
	add(&one, 1);
	add(&one, 0);
	assert_taken(0);
	assert_taken(1);
	assert_null(fair_queue_take(&queue));
}

/* An owner whose objects were all taken out has left the queue, and comes back at its end. */
SCENE(an_owner_without_objects_loses_its_turn)
{
	add(&one, 0);
	add(&other, 1);
	add(&other, 2);
	list_remove(&nodes[0]);
	assert_false(fair_queue_is_empty(&queue));
	assert_taken(1);
	add(&one, 3);
	assert_taken(2);
	assert_taken(3);
	assert_true(fair_queue_is_empty(&queue));
}

RUN_TESTS(NULL, NULL)
