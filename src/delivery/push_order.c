#include "push_order.h"
#include "base/memory.h"
#include "change_hint.h"

#include <stdlib.h>

enum {
	TURN_LIMIT_MS = 300,
	/* A push waits for the answer to the previous push only if that was stored within the last
	 * second (is_close). */
	ANSWERED_MS = 5 * 1000,
	ANSWERED_MAX = 20 * 1000,
};

/* The newest push of a device that was answered, by any worker. */
struct answered_push {
	struct map_node by_device;
	struct list by_age;
	struct id device_id;
	int64_t generation;
	uint64_t used_ms;
	struct list waiting; /* of struct push_turn */
	struct later wake;
	struct push_order *order;
};

static struct str key_of(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

static struct answered_push *find(struct push_order *order, struct id device_id)
{
	struct map_node *node = map_find(&order->answered, key_of(&device_id));

	return node ? container_of(node, struct answered_push, by_device) : NULL;
}

static void destroy(struct push_order *order, struct answered_push *answered)
{
	map_remove(&order->answered, &answered->by_device);
	list_remove(&answered->by_age);
	loop_later_cancel(&answered->wake);
	free(answered);
}

static void end_turn(struct push_turn *turn)
{
	deadline_clear(turn->order->loop, &turn->limit);
	list_remove(&turn->node);
	db_hint_release(turn->order->db, turn->device_id);
	turn->come(turn);
}

static void on_wake(struct later *later)
{
	struct answered_push *answered = container_of(later, struct answered_push, wake);
	struct list ready;
	struct list *node;

	list_init(&ready);
	list_for_each (waiting, &answered->waiting) {
		if (container_of(waiting, struct push_turn, node)->after <= answered->generation) {
			list_remove(waiting);
			list_append(&ready, waiting);
		}
	}
	while ((node = list_take_first(&ready)))
		end_turn(container_of(node, struct push_turn, node));
}

/* Forgets answers that no push can wait for any more, at most count of them, the oldest first. */
static void forget_old(struct push_order *order, unsigned count)
{
	uint64_t now_ms = loop_now_ms(order->loop);

	list_for_each (node, &order->by_age) {
		struct answered_push *oldest = container_of(node, struct answered_push, by_age);
		bool is_old =
		    now_ms - oldest->used_ms > ANSWERED_MS || order->answered.count >= ANSWERED_MAX;

		if (!is_old || count-- == 0)
			return;
		if (list_is_empty(&oldest->waiting))
			destroy(order, oldest);
	}
}

void push_order_forget(struct push_order *order)
{
	forget_old(order, ANSWERED_MAX);
}

static struct answered_push *find_or_create(struct push_order *order, struct id device_id)
{
	struct answered_push *answered = find(order, device_id);

	if (answered) {
		list_remove(&answered->by_age);
	} else {
		forget_old(order, 2);
		answered = memory_zalloc(sizeof(*answered));
		answered->order = order;
		answered->device_id = device_id;
		list_init(&answered->waiting);
		loop_later_init(&answered->wake, on_wake);
		map_insert(&order->answered, &answered->by_device, key_of(&answered->device_id));
	}
	answered->used_ms = loop_now_ms(order->loop);
	list_append(&order->by_age, &answered->by_age);
	return answered;
}

static void mark_answered(struct push_order *order, struct id device_id, int64_t generation)
{
	struct answered_push *answered = find_or_create(order, device_id);

	if (generation > answered->generation)
		answered->generation = generation;
	if (!list_is_empty(&answered->waiting))
		loop_later(order->loop, &answered->wake);
}

static void on_limit(struct deadline *deadline)
{
	end_turn(container_of(deadline, struct push_turn, limit));
}

bool push_order_is_next(struct push_order *order, struct push_turn *turn, struct id device_id,
			int64_t previous_generation)
{
	struct answered_push *answered = find_or_create(order, device_id);

	if (answered->generation >= previous_generation)
		return true;
	/* No hint would end the wait, or the worker stops. */
	if (!db_hints_are_up(order->db) || order->is_draining)
		return true;
	turn->order = order;
	turn->device_id = device_id;
	turn->after = previous_generation;
	deadline_init(&turn->limit, on_limit);
	deadline_set(order->loop, &turn->limit, TURN_LIMIT_MS);
	list_append(&answered->waiting, &turn->node);
	db_hint_hold(order->db, device_id);
	/* The hint may have come before this worker held the device. */
	db_hint_look(order->db);
	return false;
}

void push_order_answered(struct push_order *order, struct id device_id, int64_t generation)
{
	mark_answered(order, device_id, generation);
	change_hint_send(order->db, STR("push"), device_id, generation);
}

static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct push_order *order = container_of(hints, struct push_order, hints);
	int64_t generation;
	struct id id;

	if (!change_hint_parse(text, &id, &generation))
		return;
	mark_answered(order, id, generation);
	order->on_pushed(order->context, id, generation);
}

void push_order_init(struct push_order *order)
{
	list_init(&order->by_age);
	order->hints = (struct hint_subscription){.kind = STR("push"), .on_hint = on_hint};
	db_subscribe(order->db, &order->hints);
}

void push_order_finish(struct push_order *order)
{
	db_unsubscribe(&order->hints);
	while (!list_is_empty(&order->by_age))
		destroy(order, container_of(order->by_age.next, struct answered_push, by_age));
	map_finish(&order->answered);
}

void push_order_drain(struct push_order *order)
{
	order->is_draining = true;
}
